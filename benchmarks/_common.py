"""What all benchmark scripts share: machine line, versions, medians, data folder, tables."""

from __future__ import annotations

import datetime as dt
import os
import platform
import statistics
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def data_dir() -> Path | None:
    """The folder of real data, from REWARDKIT_DATA or beside the repository; None where it is absent."""
    for folder in (os.environ.get("REWARDKIT_DATA"), ROOT.parent / "shared" / "data"):
        if folder and Path(folder).is_dir():
            return Path(folder)
    return None


def version(name: str) -> str:
    """Installed version of a distribution, or 'absent'."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "absent"


def machine() -> str:
    """One line on where the numbers were taken."""
    model = "unknown CPU"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    return f"{os.cpu_count()} cores ({model}), Python {platform.python_version()}, {platform.system()}"


def today() -> str:
    """The date in UTC, as written beside each table."""
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M UTC")


def load_average() -> str:
    """The one-minute load, since other work on the machine moves the figures."""
    return f"{os.getloadavg()[0]:.1f}"


def spread(values: Sequence[float]) -> str:
    """Median with the smallest and the largest value, as '12.3 (11.8-13.1)'."""
    ordered = sorted(values)
    return f"{number(statistics.median(ordered))} ({number(ordered[0])}-{number(ordered[-1])})"


def number(value: float) -> str:
    """A figure with about three significant digits and thousands commas."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A markdown table."""
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)
