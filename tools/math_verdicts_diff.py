"""Compare the verdicts of the math verifier with recorded ones, on a fixed corpus of answers.

python tools/math_verdicts_diff.py --build CORPUS.jsonl.gz            # write the corpus (needs the data folder)
python tools/math_verdicts_diff.py CORPUS.jsonl.gz --write OLD.jsonl.gz  # judge it with the package of this folder
python tools/math_verdicts_diff.py CORPUS.jsonl.gz --against OLD.jsonl.gz [--out CHANGED.txt] [--groups NAME ...]

The package is imported from the current directory, and only its public names `judge` and `Policy` are used. The summary
has one line a group: rows, share of equal verdicts, errors against the labels then and now. Changed rows are printed below.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHOWN_PER_GROUP = 40
Entry = dict[str, Any]


# -- files -----------------------------------------------------------------------------------------------------------


def read(path: Path) -> list[Entry]:
    """The objects of a gzipped JSON-lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as handle:
        return [json.loads(line) for line in handle]


def write(path: Path, entries: Iterable[Entry]) -> None:
    """Write the objects as a gzipped JSON-lines file."""
    with gzip.open(path, "wt", encoding="utf-8") as handle:
        handle.writelines(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


# -- the corpus ------------------------------------------------------------------------------------------------------


def build() -> list[Entry]:
    """Labelled completions, generated pairs, each gold against itself and its neighbour, and the cases of the tests."""
    sys.path.insert(0, str(ROOT))
    from benchmarks import math_sets
    from benchmarks._common import data_dir
    from tools import math_pairs

    data = data_dir()
    if data is None:
        raise SystemExit("no data folder: set REWARDKIT_DATA")
    corpus: list[Entry] = []
    for load in math_sets.VERDICT_SETS:
        for row in load(data):
            label = math_sets.RELABELLED.get(row.name, (row.label, ""))[0]
            options = {"rtol": 0.04} if row.set_name.startswith("theoremqa float") else {}
            corpus.append(_entry(f"real/{row.set_name}", row.name, row.completion, row.gold, label, options))
    for at, pair in enumerate(math_pairs.generate()):
        corpus.append(_entry("pairs", f"{pair.category}:{at}", pair.completion, pair.gold, pair.label, {}))
    for name, golds in math_sets.golds(data).items():
        for at, gold in enumerate(golds):
            corpus.append(_entry(f"golds/{name}", str(at), f"$\\boxed{{{_inner(gold)}}}$", gold, True, {}))
        for at, (gold, other) in enumerate(pairwise(golds)):
            corpus.append(_entry("neighbours", f"{name}:{at}", f"$\\boxed{{{_inner(other)}}}$", gold, None, {}))
    return corpus + test_cases(ROOT / "tests" / "cases")


def test_cases(folder: Path) -> list[Entry]:
    """The rows of the case files under tests/cases, in the layout by topic and in the one before it."""
    corpus: list[Entry] = []
    for path in sorted([*folder.glob("math_rounds/*.txt"), *folder.glob("math/*.txt")]):
        corpus += [
            _entry("rounds", f"{path.stem}:{at}", completion, gold, label, {})
            for at, (gold, completion, label) in enumerate(_round(path))
        ]
    for path in sorted([*folder.glob("math.jsonl"), *folder.glob("math_pairs/*.jsonl"), *folder.glob("math/*.jsonl")]):
        for at, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            row = json.loads(line)
            if "ground_truth" not in row or not {"completion", "answer"} & set(row):
                continue
            completion = row["completion"] if "completion" in row else f"\\boxed{{{row['answer']}}}"
            name, gold = f"{path.stem}:{at}", row["ground_truth"]
            options = row.get("policy", row.get("options", {}))
            corpus.append(_entry("test rows", name, completion, gold, row.get("verdict") == "equal", options))
    return corpus


def _entry(group: str, name: str, completion: str, gold: Any, label: bool | None, options: Entry) -> Entry:
    return {"group": group, "name": name, "completion": completion, "gold": gold, "label": label, "options": options}


def _inner(gold: str) -> str:
    text = gold.strip()
    return text[1:-1] if len(text) > 2 and text[0] == text[-1] == "$" and text.count("$") == 2 else text


_ANSWER = re.compile(r"[-+][*?]{0,2} ")


def _round(path: Path) -> Iterable[tuple[str, str, bool]]:
    gold = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if _ANSWER.match(line) is not None:
            signs, _, text = line.partition(" ")
            yield gold, text.replace("⏎", "\n") if "*" in signs else f"So \\boxed{{{text}}}.", signs[0] == "+"
        elif line.strip() and not line.startswith("#"):
            gold = line.strip()


# -- judging ---------------------------------------------------------------------------------------------------------


def verdict(entry: Entry) -> Entry:
    """What the package of the current directory says about one row; an exception is a verdict too."""
    from rewardkit.math import Policy, judge

    known = {one.name for one in fields(Policy)}
    try:
        found = judge(
            entry["completion"],
            entry["gold"],
            Policy(**{name: value for name, value in entry["options"].items() if name in known}),
        )
    except Exception as error:  # any failure of any version is to be shown, not to end the run
        return {"equal": False, "status": "raised", "answer": None, "reason": f"{type(error).__name__}: {error}"}
    return {"equal": found.equal, "status": str(found.status), "answer": found.answer, "reason": found.reason}


def verdicts(corpus: list[Entry], workers: int) -> list[Entry]:
    """The verdict of each row, in order."""
    if workers <= 1:
        return [verdict(entry) for entry in corpus]
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        return pool.map(verdict, corpus, chunksize=200)


# -- the report ------------------------------------------------------------------------------------------------------


def changes(corpus: list[Entry], then: list[Entry], now: list[Entry]) -> list[tuple[Entry, Entry, Entry]]:
    """Rows whose acceptance changed."""
    return [
        (e, old, new) for e, old, new in zip(corpus, then, now, strict=True) if bool(old["equal"]) != bool(new["equal"])
    ]


def way(entry: Entry, new: Entry) -> str:
    """What a changed verdict is by the label of its row."""
    if entry["label"] is None:
        return "now equal" if new["equal"] else "now different"
    if new["equal"]:
        return "mended FN" if entry["label"] else "NEW FP"
    return "NEW FN" if entry["label"] else "mended FP"


def summary(corpus: list[Entry], then: list[Entry], now: list[Entry]) -> str:
    """One line a group."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0] * 7)
    for entry, old, new in zip(corpus, then, now, strict=True):
        for name in {
            entry["group"],
            "all " + entry["group"].split("/")[0] if "/" in entry["group"] else entry["group"],
        }:
            row = counts[name]
            row[0] += 1
            row[1] += bool(old["equal"]) == bool(new["equal"])
            if entry["label"] is not None:
                row[2] += entry["label"] and not old["equal"]
                row[3] += bool(old["equal"]) and not entry["label"]
                row[4] += entry["label"] and not new["equal"]
                row[5] += bool(new["equal"]) and not entry["label"]
            row[6] += new["status"] == "raised"
    lines = [
        f"{'group':40} {'rows':>6} {'same %':>8} {'changed':>7}  {'then FN':>7} {'FP':>4}  {'now FN':>7} {'FP':>4}"
    ]
    for name in sorted(counts):
        rows, equal, fn0, fp0, fn1, fp1, raised = counts[name]
        tail = f"  RAISED {raised}" if raised else ""
        lines.append(
            f"{name:40} {rows:6} {100 * equal / rows:8.3f} {rows - equal:7}  {fn0:7} {fp0:4}  {fn1:7} {fp1:4}{tail}"
        )
    return "\n".join(lines)


def shown(entry: Entry, old: Entry, new: Entry) -> str:
    """A changed row in a few lines."""
    tail = entry["completion"] if len(entry["completion"]) < 300 else "..." + entry["completion"][-300:]
    return (
        f"{way(entry, new)} [{entry['group']} {entry['name']}] gold {str(entry['gold'])!r}\n"
        f"    completion {tail!r}\n"
        f"    then {old['status']}: {str(old['answer'])[:200]!r} ({old['reason']})\n"
        f"    now  {new['status']}: {str(new['answer'])[:200]!r} ({new['reason']})"
    )


def report(corpus: list[Entry], then: list[Entry], now: list[Entry], out: Path | None) -> str:
    """The summary and the changed rows, worst first; all of them go to `out`, the first of each group and way are printed."""
    rank = {"NEW FP": 0, "NEW FN": 1, "now equal": 2, "now different": 3, "mended FP": 4, "mended FN": 5}
    found = sorted(changes(corpus, then, now), key=lambda row: (rank[way(row[0], row[2])], row[0]["group"]))
    if out is not None:
        out.write_text("".join(shown(*row) + "\n" for row in found), encoding="utf-8")
    counts: dict[tuple[str, str], int] = defaultdict(int)
    lines: list[str] = []
    for entry, old, new in found:
        key = (way(entry, new), entry["group"].split("/")[0])
        counts[key] += 1
        if counts[key] <= SHOWN_PER_GROUP:
            lines.append(shown(entry, old, new))
    more = [f"{kind}, {group}: {n}" for (kind, group), n in counts.items()]
    return "\n".join([*lines, "", "changed: " + "; ".join(more), "", summary(corpus, then, now)])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--build", action="store_true", help="write the corpus instead of judging it")
    parser.add_argument("--write", type=Path, help="record the verdicts here")
    parser.add_argument("--against", type=Path, help="recorded verdicts to compare with")
    parser.add_argument("--out", type=Path, help="write all changed rows here")
    parser.add_argument("--groups", nargs="*", help="only groups that begin with one of these")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    if args.build:
        corpus = build()
        write(args.corpus, corpus)
        print(f"{len(corpus)} rows")
        return
    sys.path.insert(0, str(Path.cwd()))
    corpus = read(args.corpus)
    then = read(args.against) if args.against else []
    if args.groups:
        chosen = [i for i, e in enumerate(corpus) if e["group"].startswith(tuple(args.groups))]
        corpus, then = [corpus[i] for i in chosen], [then[i] for i in chosen] if then else []
    began = time.perf_counter()
    now = verdicts(corpus, args.workers)
    took = time.perf_counter() - began
    if args.write:
        write(args.write, now)
    if then:
        print(report(corpus, then, now, args.out))
    print(f"{len(corpus)} rows judged in {took:.0f} s")


if __name__ == "__main__":
    main()
