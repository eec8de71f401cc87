"""Hunt for false positives: change one thing in each real gold answer and see whether the verifier still accepts it.

A change may keep the value by chance (a digit of an index, an unused branch), so what is accepted is printed to be read,
not counted as wrong without reading.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks import math_sets
from benchmarks._common import data_dir

SWAPS = [
    ("<", ">"),
    (">", "<"),
    ("\\le ", "<"),
    ("\\leq", "<"),
    ("\\ge ", ">"),
    ("\\geq", ">"),
    ("\\sin", "\\cos"),
    ("\\cos", "\\sin"),
    ("\\ln", "\\log_{2}"),
    ("\\pi", "e"),
    ("\\cup", "\\cap"),
    ("\\infty", "1000"),
    ("\\text{cm}", "\\text{m}"),
    ("\\text{ cm}", "\\text{ km}"),
    ("\\text{ meters}", "\\text{ feet}"),
    ("\\text{ inches}", "\\text{ feet}"),
    ("\\text{ hours}", "\\text{ minutes}"),
    ("\\$", "\u20ac"),
    ("\\sqrt{", "\\sqrt[3]{"),
    ("x", "y"),
    ("n", "m"),
    ("!", "!!"),
    ("\\binom", "\\frac"),
    ("\\frac{", "\\binom{"),
    ("Yes", "No"),
    ("True", "False"),
    ("even", "odd"),
    ("AM", "PM"),
    ("a.m.", "p.m."),
]


def mutations(gold: str, rng: Random) -> Iterator[tuple[str, str]]:
    """Texts that differ from the gold by one change, each with the name of the change."""
    if "\\boxed" in gold:
        return
    digits = [m.start() for m in re.finditer(r"\d", gold)]
    for at in rng.sample(digits, min(3, len(digits))):
        new = rng.choice([d for d in "0123456789" if d != gold[at]])
        yield "digit", gold[:at] + new + gold[at + 1 :]
    signs = [m.start() for m in re.finditer(r"(?<=[\w)} ])[+-](?=[\w\\( ])", gold)]
    for at in rng.sample(signs, min(2, len(signs))):
        yield "sign", gold[:at] + ("-" if gold[at] == "+" else "+") + gold[at + 1 :]
    bare = gold.strip().strip("$").strip()
    plain = not re.search(r"\\(text|mathbb|mathbf|forall|quad|ldots)|\bfor\b|\bis\b|\bwhere\b|[:;,]|\.$", bare)
    zero = re.fullmatch(r"[-\s0.()]*", bare) or re.search(r"=\s*0$|\b0\}?$|\\pm|\u00b1|\u2213|pmatrix|^0\b", bare)
    if bare and bare[0] not in "-([{\\" and plain and not zero:
        yield "minus in front", f"-({bare})" if re.fullmatch(r"[\w^+* -]+", bare) else f"-{bare}"
    for found in list(re.finditer(r"\^\{?(\d)\}?", gold))[:2]:
        yield "exponent", gold[: found.start(1)] + str((int(found.group(1)) + 1) % 10) + gold[found.end(1) :]
    if re.match(r"^\$?(\\left)?[\[(]", gold) and gold.count(",") == 1 and re.search(r"[\])]\$?$", gold):
        body = gold.strip("$")
        for left, right in (("(", "["), ("[", "(")):
            if body.startswith(left):
                yield "bracket", right + body[1:]
        for left, right in ((")", "]"), ("]", ")")):
            if body.endswith(left) and not body.endswith("\\right" + left):
                yield "bracket", body[:-1] + right
    for old, new in SWAPS:
        if old in ("x", "n") and re.search(
            r"\||\\mid|\\forall|=.*=|\\mathbb|\\implies|x1|\([xn]\)\s*=\s*(-?\w|f\(0\))(\$|,|\s|$)", gold
        ):
            continue
        at = gold.find(old)
        if at >= 0 and (
            len(old) > 1
            or old in "<>!"
            or not re.search(r"[a-zA-Z\\]", gold[max(0, at - 1) : at] + gold[at + 1 : at + 2])
        ):
            yield f"{old} to {new}", gold[:at] + new + gold[at + len(old) :]
    parts = re.split(r"(?<!\\),", bare)
    if (
        len(parts) > 1
        and parts[-1].strip()
        and not re.search(r"\\in\b|where|\bor\b|Yes", bare)
        and "(" not in bare
        and "[" not in bare
    ):
        yield "one lost", ",".join(parts[:-1]).replace("\\{", "").replace("\\}", "")
        yield "one more", bare.rstrip("}").rstrip("\\") + ", 987" + ("\\}" if bare.endswith("\\}") else "")
    if (
        len(parts) == 2
        and bare.startswith("(")
        and bare.endswith(")")
        and parts[0][1:].strip() != parts[1][:-1].strip()
    ):
        yield "swapped", f"({parts[1][:-1]}, {parts[0][1:]})"
    if plain:
        yield "plus one", f"{bare} + 1"
        if not zero:
            yield "times ten", f"10 \\cdot ({bare})"
    yield "other value after or", f"{bare} \\text{{ or }} 987"


def hunt(seed: int, per_set: int, out: Path | None) -> None:
    """Compare every changed gold with its gold and print what was accepted, by kind of change."""
    data = data_dir()
    if data is None:
        raise SystemExit("no data folder: set REWARDKIT_DATA")
    from rewardkit.math import compare

    rng = Random(seed)
    tried: Counter[str] = Counter()
    accepted: list[dict[str, str]] = []
    for name, golds in math_sets.golds(data).items():
        for gold in rng.sample(golds, min(per_set, len(golds))):
            for change, text in mutations(gold, rng):
                if "".join(text.split()) == "".join(gold.split()):
                    continue
                tried[change] += 1
                try:
                    judgement = compare(gold, text)
                except Exception as error:  # a verifier never raises on an answer; the hunt goes on and says so
                    accepted.append(
                        {"set": name, "change": "RAISED", "gold": gold, "answer": text, "reason": repr(error)}
                    )
                    continue
                if judgement.equal:
                    accepted.append(
                        {"set": name, "change": change, "gold": gold, "answer": text, "reason": judgement.reason}
                    )
    print(f"{sum(tried.values()):,} changed golds, {len(accepted)} accepted")
    kinds = Counter(entry["change"] for entry in accepted).most_common()
    print(", ".join(f"{change}: {count}" for change, count in kinds))
    if out:
        out.write_text("".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in accepted))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--per-set", type=int, default=10_000)
    parser.add_argument("--out", type=Path, help="write what was accepted as JSON lines")
    args = parser.parse_args()
    hunt(args.seed, args.per_set, args.out)


if __name__ == "__main__":
    main()
