"""Which extras live together: resolve each, and each pair, with uv; and install sets for `pip check`.

python tools/extras.py [--until 2026-11-23]                    resolve every extra and every pair, print the pairs that change each other
python tools/extras.py --install math+harness trl+ray ... [--constraint torch==2.13.0]
                                                               install these sets, each into a fresh environment, then check it

Needs uv (pip install uv). Nothing is installed without --install.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
DEVELOPERS = {"test", "dev", "docs", "all"}
EXTRAS = tuple(name for name in PROJECT if name not in DEVELOPERS)
PYTHON = "3.11"
SHOWN = ("torch", "transformers", "antlr4-python3-runtime")
"""Shown beside the packages that extras ask for themselves: they are what trainers and parsers disagree on."""
WORKS = """import importlib, rewardkit
for name in ("harness", "sandboxes", "trainers"):
    importlib.import_module(name)
assert rewardkit.load("exact").score([rewardkit.Sample(completion="yes", ground_truth="yes")])[0].value == 1
"""
Versions = dict[str, str]


def wanted(extras: tuple[str, ...]) -> str:
    """A requirement for this checkout with extras."""
    return f"rewardkit[{','.join(extras)}] @ {ROOT.as_uri()}"


def uv() -> str:
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.exists() else shutil.which("uv")
    if found is None:
        raise SystemExit("no uv here: pip install uv")
    return found


def resolve(extras: tuple[str, ...], until: str) -> Versions | str:
    """Versions by package; where there are none that fit, uv's reason."""
    command = [uv(), "pip", "compile", "--no-header", "--no-annotate", "--no-progress", "--python-version", PYTHON]
    done = subprocess.run(
        [*command, "--exclude-newer", f"{until}T23:59:59Z", "-"],
        input=wanted(extras), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        return " ".join(done.stderr.split())[-300:]
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", done.stdout, re.MULTILINE))


def asked(extras: tuple[str, ...]) -> set[str]:
    """Packages that extras name."""
    names = {re.split(r"[\[<>=, ]", each)[0] for extra in extras for each in PROJECT[extra]}
    return names - {"rewardkit"} | set(SHOWN)


def changed(pair: tuple[str, str], both: Versions, alone: dict[str, Versions]) -> list[str]:
    """What a pair has in another version than one of its extras would have alone."""
    found: list[str] = []
    for name in sorted(asked(pair) & set(both)):
        had = {alone[extra][name] for extra in pair if name in alone[extra]}
        found += [f"`{name}` {both[name]}, not {version}" for version in sorted(had - {both[name]})]
    return found


def table(until: str) -> str:
    sets: list[tuple[str, ...]] = [(extra,) for extra in EXTRAS] + list(combinations(EXTRAS, 2))
    with ThreadPoolExecutor(3) as pool:
        found = dict(zip(sets, pool.map(lambda extras: resolve(extras, until), sets), strict=True))
    alone = {extras[0]: value for extras, value in found.items() if len(extras) == 1 and isinstance(value, dict)}
    broken = {extras: value for extras, value in found.items() if isinstance(value, str)}
    lines = [f"{len(EXTRAS)} extras and {len(sets) - len(EXTRAS)} pairs; no versions fit {len(broken)} of them.", ""]
    lines += ["| set | resolves | to other versions than alone |", "|---|---|---|"]
    for extras, value in found.items():
        if isinstance(value, str):
            lines.append(f"| `rewardkit[{','.join(extras)}]` | no | {value} |")
        elif len(extras) == 2 and (others := changed((extras[0], extras[1]), value, alone)):
            lines.append(f"| `rewardkit[{','.join(extras)}]` | yes | {'; '.join(others)} |")
    return "\n".join(lines)


def install(extras: tuple[str, ...], constraint: str) -> str:
    """Install a set into a fresh environment, run `pip check`, import every package of ours and judge a row; what happened, in a line."""
    links = ["--find-links", os.environ["PIP_FIND_LINKS"]] if "PIP_FIND_LINKS" in os.environ else []
    with tempfile.TemporaryDirectory(prefix="extras-") as folder:
        python, limits = str(Path(folder, "bin/python")), Path(folder, "constraints.txt")
        steps = [
            [uv(), "venv", "-q", "--python", PYTHON, folder],
            [uv(), "pip", "install", "-q", "--python", python, *links, "--constraint", str(limits), wanted(extras)],
            [uv(), "pip", "check", "-q", "--python", python],
            [python, "-I", "-c", WORKS],
        ]
        for step in steps:
            if step[1] == "pip":
                limits.write_text(constraint, encoding="utf-8")
            done = subprocess.run(step, capture_output=True, text=True, check=False, cwd=folder)
            if done.returncode:
                return f"{' '.join(step[1:3])}: {' '.join((done.stdout + done.stderr).split())[-300:]}"
    return "installed, checked, runs"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--until", default=datetime.now(UTC).date().isoformat())
    parser.add_argument("--install", nargs="+", metavar="SET")
    parser.add_argument("--constraint", default="", help="of the installed versions, such as torch==2.13.0")
    args = parser.parse_args()
    if args.install is None:
        print(table(args.until))
        return
    for words in args.install:
        print(f"{words}: {install(tuple(words.split('+')), args.constraint)}", flush=True)


if __name__ == "__main__":
    main()
