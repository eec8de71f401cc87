"""Which right answers do scorers recognise? MATH-500's own golds, written as models write them, against lm-eval's scorers.

REWARDKIT_DATA=... python benchmarks/harness_scorers.py
"""

from __future__ import annotations

import gzip
import importlib
import json
import os
from pathlib import Path

from rewardkit import Sample, load

SPELLINGS = {
    "so the answer is \\boxed{g}.": "We find $x$, so the answer is \\boxed{GOLD}.",
    "$\\boxed{g}$ after other formulas": "Since $a = b$, we get $c$. The final answer is $\\boxed{GOLD}$.",
    "The answer is $g$.": "After some algebra: The answer is $GOLD$.",
    "Final Answer: (Minerva)": "Final Answer: The final answer is $GOLD$. I hope it is correct.",
    "wrong answer, boxed": "So the answer is \\boxed{-918273645546}.",
}


def main() -> None:
    path = Path(os.environ["REWARDKIT_DATA"]) / "math500" / "test.jsonl.gz"
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    reward = load("math")
    hendrycks = importlib.import_module("lm_eval.tasks.hendrycks_math.utils")
    print(f"{'of 500 answers judged right':<38}{'rewardkit math':>16}{'lm-eval hendrycks_math':>24}")
    for name, text in SPELLINGS.items():
        texts = [text.replace("GOLD", row["answer"]) for row in rows]
        samples = [Sample(completion=t, ground_truth=row["answer"]) for t, row in zip(texts, rows, strict=True)]
        ours = sum(score.accuracy or 0 for score in reward.score(samples))
        theirs = sum(hendrycks.process_results({**row}, [t])["exact_match"] for t, row in zip(texts, rows, strict=True))
        print(f"{name:<38}{ours:>16}{theirs:>24}")


if __name__ == "__main__":
    main()
