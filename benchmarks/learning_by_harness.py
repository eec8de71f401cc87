"""The learning demo's last model, sampled and judged once more by `harness run`: `python -m benchmarks.learning_by_harness DIR`.

DIR is what `python -m trainers.learn` left (`learn/seed-0`). The harness generates anew from the saved model and judges with
the same reward; its accuracy is printed beside the one that the demo wrote. Needs the extras trl and harness in one environment.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

TASK = """\
include: {base}
task: addition
dataset_kwargs:
  data: addition
  shape: math
  reward: "{reward}"
  hub: none/addition
  files: [addition.jsonl]
doc_to_text: "{{{{question}}}}"
generation_kwargs: {{until: [], do_sample: false, max_gen_toks: 36}}
metadata: {{version: 1.0}}
"""


def main(directory: Path) -> int:
    import harness

    result = json.loads((directory / "result.json").read_text())
    rows = [json.loads(line) for line in (directory / "held_out_grpo.jsonl").read_text().splitlines()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        problems = ({"id": row["id"], "problem": row["prompt"], "answer": row["ground_truth"]} for row in rows)
        (folder / "addition.jsonl").write_text("".join(json.dumps(row) + "\n" for row in problems))
        base = Path(harness.__file__).parent / "tasks" / "_base_yaml"
        (folder / "addition.yaml").write_text(TASK.format(base=base, reward=result["config"]["reward"]))
        command = [sys.executable, "-P", "-m", "harness.cli", "run", "--model", "hf", "--model_args"]
        command += [f"pretrained={directory / 'model'},dtype=float32", "--tasks", "addition", "--include_path", name]
        command += ["--data-dir", name, "--device", "cpu", "--batch_size", "128", "-o", str(folder / "run"), "--json"]
        done = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE)
    correct = result["stages"][-1]["correct"]
    print(f"the demo wrote: accuracy {sum(correct) / len(correct):.3f} of {len(correct)}")
    print(f"harness run (exit {done.returncode}): {done.stdout.strip()[:2000]}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
