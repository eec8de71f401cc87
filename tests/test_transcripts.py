"""What commands print, word for word: tables, numbers and messages change on purpose or not at all.

`tests/cases/transcripts/*.txt` holds commands, each with its standard output and, where it does not end with 0, its exit code and its error.
After a change that is meant, `python tests/test_transcripts.py` records the outputs again; read the difference before you commit it.
TMP is a new folder, ROOT the repository. Only what every installation prints is recorded: no times, no versions of others.
"""

import base64
import contextlib
import gzip
import hashlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

import pytest

from harness.cli import cli as harness
from rewardkit.cli import rewardkit, run

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "cases" / "transcripts"
COMMANDS = {"rewardkit": rewardkit, "harness": harness}
ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1"}
LONG_NUMBER = re.compile(r"-?\d+\.\d{9,}(?:e-?\d+)?")
"""Libraries of mathematics differ in the last digits."""
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")
DATA = re.compile(r'<script type="(?:application/json|text/plain)" id="([^"]+)">(.*?)</script>', re.DOTALL)
LONGEST, LONGEST_PAGE = 1_000, 20_000
PAGES = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)


def entries(name):
    """The commands of a transcript, each with what it printed."""
    parts = re.split(r"^\$ (.*)\n", (FOLDER / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def names():
    return sorted(path.name for path in FOLDER.glob("*.txt"))


@pytest.mark.parametrize("name", names())
def test_commands_print_what_is_recorded(name, tmp_path):
    assert entries(name)
    for line, printed in entries(name):
        assert said(line, tmp_path) == printed, f"$ {line}"


def said(line, folder):
    """What one command prints."""
    words = [word.replace("TMP", str(folder)) for word in shlex.split(line)]
    before, here = dict(os.environ), Path.cwd()
    out, err = io.StringIO(), io.StringIO()
    os.chdir(ROOT)
    os.environ.update(ENVIRONMENT)
    os.environ.pop("REWARDKIT_DATA", None)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(COMMANDS[words[0]], words[1:])
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)
    text = out.getvalue()
    if code:
        text += f"exit code {code}\n" + "".join(
            part + "\n" for part in err.getvalue().splitlines() if part.startswith("error:")
        )
    pages = [Path(word) for word in words if word.endswith(".html") and Path(word).is_file()]
    for page in pages:
        content = page.read_text(encoding="utf-8")
        text += "".join(f"{name}: {unpacked(data)}\n" for name, data in DATA.findall(content))
        whole = PAGES.sub("", content)
        text += whole.replace("><", ">\n<") if len(whole) < LONGEST_PAGE else whole.replace("\n", " ")
    text = LONG_NUMBER.sub(lambda number: f"{float(number[0]):.8g}", DATE.sub("DATE", text))
    lines = text.replace(str(folder), "TMP").replace(str(ROOT), "ROOT").splitlines()
    return "".join(f"{short(each.rstrip())}\n" for each in lines).rstrip("\n") + "\n\n"


def unpacked(data):
    """A block of data in a page as text."""
    return data if data.startswith("{") else gzip.decompress(base64.b64decode(data)).decode()


def short(line):
    """A line, or the beginning of a long one and a digest of it."""
    if len(line) <= LONGEST:
        return line
    return f"{line[: LONGEST // 2]} ... {len(line)} characters, {hashlib.sha256(line.encode()).hexdigest()[:16]}"


def record():
    for name in names():
        with tempfile.TemporaryDirectory() as folder:
            text = "".join(f"$ {line}\n{said(line, Path(folder))}" for line, _ in entries(name))
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(record())
