"""An async reward that is called from within an event loop, as a notebook does: its result, its errors and its end."""

import asyncio
import signal
import subprocess
import sys
import threading

import pytest

from rewardkit.grading import run_coroutine


def ours():
    return [one for one in threading.enumerate() if one.name == "rewardkit-async"]


async def result_of(coroutine):
    return run_coroutine(coroutine)


async def value():
    await asyncio.sleep(0)
    return 5


async def fails(error):
    await asyncio.sleep(0)
    raise error


def test_a_value_comes_back_with_and_without_a_running_loop():
    assert run_coroutine(value()) == asyncio.run(result_of(value())) == 5
    assert ours() == []


@pytest.mark.parametrize(
    "error", [ValueError("x"), TimeoutError("y"), SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()]
)
def test_what_it_raises_is_raised(error):
    async def inside():
        with pytest.raises(type(error)) as caught:
            run_coroutine(fails(error))
        return caught.value

    assert asyncio.run(inside()) is error
    assert ours() == []


INTERRUPTED = """
import asyncio, signal
from rewardkit.grading import run_coroutine

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it

async def waits():
    print("waits", flush=True)
    try:
        await asyncio.sleep(600)
    finally:
        print("ended", flush=True)

async def main():
    run_coroutine(waits())

{start}
"""
STARTS = {
    "asyncio.run": "asyncio.run(main())",
    "a loop as a notebook has it": "asyncio.new_event_loop().run_until_complete(main())",
    "a callback of a loop": (
        "loop = asyncio.new_event_loop()\nloop.call_soon(lambda: run_coroutine(waits()))\nloop.run_forever()"
    ),
}


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_one_interrupt_ends_what_runs(start):
    program = INTERRUPTED.format(start=start)
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "waits\n"
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert out == "ended\n", err
    assert "KeyboardInterrupt" in err


def test_a_cancelled_task_ends_what_runs():
    ended = []

    async def waits(task):
        try:
            task.cancel()  # from another thread, as a signal does
            await asyncio.sleep(600)
        finally:
            ended.append(True)

    async def main():
        run_coroutine(waits(asyncio.current_task()))

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    assert (ended, ours()) == ([True], [])
