"""`rewardkit serve` as a deployment of Ray Serve: the same application in each replica, one sandbox pool a node."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from rewardkit.errors import MissingExtraError, UsageError
from rewardkit.executor import needs_sandbox
from rewardkit.serve.settings import Settings
from rewardkit.serve.tokens import read_tokens


def application(args: Mapping[str, Any]) -> Any:
    """What `serve.run` takes, and `serve run rewardkit.ray.serve:application rewards=math`.

    Args:
        args: `rewards`, a text or a list of texts as in `rewardkit serve -r`; `replicas` (1, or `auto`); `workers`, judging
            processes a replica, each with a CPU (1); `sandbox`, which serves `/run_code` too. A bearer token is read from
            REWARDKIT_TOKEN where the replicas run.

    Raises:
        MissingExtraError: Ray Serve is not installed.
        UsageError: a reward cannot be read, or an argument is unknown.
    """
    try:
        serve: Any = import_module("ray.serve")
    except ImportError:
        raise MissingExtraError.of("Ray Serve", "ray") from None
    options = dict(args)
    rewards = options.pop("rewards", ())
    replicas, workers, sandbox = (
        options.pop("replicas", 1),
        int(options.pop("workers", 1)),
        options.pop("sandbox", None),
    )
    if options:
        raise UsageError(f"{next(iter(options))}: no such argument; there are rewards, replicas, workers and sandbox")
    settings = Settings((rewards,) if isinstance(rewards, str) else tuple(rewards), workers=workers, sandbox=sandbox)
    runs_code = sandbox is not None or any(needs_sandbox(served.reward) for served in settings.load())

    def build() -> Any:
        return _build(settings, runs_code=runs_code)

    return serve.deployment(
        name="rewardkit",
        num_replicas=replicas if replicas == "auto" else int(replicas),
        ray_actor_options={"num_cpus": workers},
        max_ongoing_requests=settings.limits.queue_rows,  # the application has a queue of its own and says when it is full
    )(serve.ingress(build)()).bind()


def _build(settings: Settings, *, runs_code: bool) -> Any:
    """The application of one replica, in its process."""
    from dataclasses import replace

    from rewardkit.serve.app import create_app

    path = None
    if runs_code:
        from rewardkit.ray.node_sandbox import NodeSandbox

        path = str(NodeSandbox.of_actor(import_module("ray")).path)  # a thread holds it as long as this process runs
    app = create_app(replace(settings, tokens=read_tokens(None)), path)
    app.service.open_sandbox()
    return app
