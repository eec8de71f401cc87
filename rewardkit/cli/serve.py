"""`rewardkit serve`: rewards over HTTP, for any trainer."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from rewardkit.errors import MissingExtraError
from rewardkit.serve.settings import Limits, Settings

_DEFAULTS = Limits()
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.option(
    "-r",
    "--reward",
    "rewards",
    multiple=True,
    required=True,
    metavar="[NAME=]TEXT",
    help="A reward that callers may ask for, by NAME or TEXT. Several may be given; the first is the default.",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to bind. Any address but loopback needs a token."
)
@click.option("--port", default=8000, show_default=True, help="Port; 0 chooses a free one and prints it.")
@click.option("--workers", default=0, metavar="N", help="Number of judging processes. [default: one per CPU]")
@click.option(
    "--processes", default=1, show_default=True, help="Number of HTTP processes, which share the port and the workers."
)
@click.option(
    "--token-file",
    type=_FILE,
    help="File with bearer tokens, one per line: TOKEN [name=NAME] [rows_per_s=N] [rows=N]. Reloaded on SIGHUP.",
)
@click.option("--tls-cert", type=_FILE, help="Serve HTTPS with this certificate chain (PEM). Reloaded on SIGHUP.")
@click.option("--tls-key", type=_FILE, help="Key of --tls-cert (PEM, no password).")
@click.option("--tls-client-ca", type=_FILE, help="Require client certificates from these authorities (PEM).")
@click.option("--sandbox", help="Serve /run_code with this sandbox: auto, docker, local, remote:URL or unsafe.")
@click.option(
    "--drain", "drain_s", default=30.0, show_default=True, help="Seconds to finish requests in flight after SIGTERM."
)
@click.option(
    "--deadline", "deadline_s", default=_DEFAULTS.deadline_s, show_default=True, help="Seconds for one request."
)
@click.option(
    "--row-timeout", "row_timeout_s", default=_DEFAULTS.row_timeout_s, show_default=True, help="Seconds for one row."
)
@click.option("--body-timeout", "body_timeout_s", default=_DEFAULTS.body_timeout_s, show_default=True, hidden=True)
@click.option("--head-timeout", "head_timeout_s", default=_DEFAULTS.head_timeout_s, show_default=True, hidden=True)
@click.option("--max-batch", "batch_rows", default=_DEFAULTS.batch_rows, show_default=True, help="Rows in one request.")
@click.option("--max-body", "body_bytes", default=_DEFAULTS.body_bytes, show_default=True, help="Bytes in one request.")
@click.option(
    "--queue", "queue_rows", default=_DEFAULTS.queue_rows, show_default=True, help="Rows in all requests together."
)
@click.option(
    "--max-connections", "connections", default=_DEFAULTS.connections, show_default=True, help="Most open connections."
)
@click.option(
    "--worker-memory",
    "worker_memory_mb",
    default=_DEFAULTS.worker_memory_mb,
    show_default=True,
    help="Memory limit of a worker in MiB.",
)
@click.option("--access-log", is_flag=True, help="Log one line per request on stderr: method, route, status, time.")
def serve(rewards: tuple[str, ...], token_file: Path | None, **options: Any) -> int:
    """Serve rewards over HTTP.

    \b
    rewardkit serve -r math
    rewardkit serve -r math -r tcr="grpo_tcr" --sandbox docker --port 8000

    POST /v1/score judges batches. OpenRLHF, slime, NeMo Gym, verl and SandboxFusion clients work unchanged: see
    docs/serve.md. SIGTERM stops the server after requests in flight are finished.
    """  # noqa: D301 - click's mark
    try:
        from rewardkit.serve.server import serve as run
        from rewardkit.serve.tokens import read_tokens
    except ImportError:
        raise MissingExtraError.of("rewardkit serve", "serve") from None
    limits = Limits(**{field.name: options.pop(field.name) for field in fields(Limits) if field.name in options})
    settings = Settings(rewards, tokens=read_tokens(token_file), token_file=token_file, limits=limits, **options)
    return run(settings)
