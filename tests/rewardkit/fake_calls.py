"""A sandbox whose calls are those of a function of the test."""

from sandboxes.backends.fake import FakeSandbox
from sandboxes.base import CallResult, Execution
from sandboxes.values import decode, encode


def fake_calls(function):
    """Answers each call of a job with `function(*args, **kwargs)`, exceptions included."""

    def answer(call):
        args = [decode(value) for value in call.args]
        kwargs = {key: decode(value) for key, value in call.kwargs.items()}
        try:
            return CallResult(value=encode(function(*args, **kwargs)))
        except Exception as error:
            return CallResult(error=f"{type(error).__name__}: {error}")

    return FakeSandbox(
        lambda job: Execution(exit_code=0, loaded=True, calls=tuple(answer(call) for call in job.calls or ()))
    )
