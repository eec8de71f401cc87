"""Labelled answers from elsewhere: real completions with verdicts, gold answers, published verifier tests.

Each loader reads a folder of real data (see `_common.data_dir`) or a checkout that the caller names, and gives rows with
the label that somebody else set, or one that follows from the row itself (a number equal to its gold or not).
"""

from __future__ import annotations

import ast
import gzip
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Row:
    """A completion with its gold and a label; `others` holds verdicts of graders that the data already carries."""

    set_name: str
    name: str
    completion: str
    gold: Any
    label: bool
    others: tuple[tuple[str, bool], ...] = ()
    tag: str = ""
    basis: str = ""


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a gzipped JSON-lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as handle:
        for line in handle:
            yield json.loads(line)


def parquet(path: Path) -> list[dict[str, Any]]:
    """The rows of a Parquet file."""
    from pyarrow import parquet as pq

    return pq.read_table(path).to_pylist()


def _verdict_rows(folder: Path, set_of: Callable[[str], str]) -> list[Row]:
    """SkyThought and Qwen runs: verdicts were adjudicated where two graders disagree; ambiguous rows are left out."""
    tables: dict[str, dict[int, dict[str, Any]]] = {}
    rows: list[Row] = []
    for verdict in lines(folder / "verdicts.jsonl.gz"):
        if verdict["verdict"] == "ambiguous":
            continue
        file = verdict["file"]
        if file not in tables:
            tables[file] = {row["idx"]: row for row in lines(folder / file)}
        row = tables[file][verdict["idx"]]
        rows.append(
            Row(
                set_of(file),
                f"{file}:{verdict['idx']}:{verdict['sample']}",
                row["code"][verdict["sample"]],
                row["answer"] if isinstance(row.get("answer"), str) else row["gt"],
                verdict["verdict"] == "correct",
                (("qwen_rule", verdict["qwen_rule_score"]), ("math_verify", verdict["math_verify_0_9"])),
                verdict["tag"],
                verdict["basis"],
            )
        )
    return rows


def skythought(data: Path) -> list[Row]:
    return _verdict_rows(
        data / "completions_skythought", lambda file: "skythought " + file.split("__")[2].split(".")[0]
    )


def qwen_math(data: Path) -> list[Row]:
    return _verdict_rows(data / "completions_qwen_math", lambda _: "qwen_math")


def tora(data: Path) -> list[Row]:
    """The extracted number against the gold number; rows off by rounding alone are left out."""
    rows: list[Row] = []
    for path in sorted((data / "completions_tora").glob("*.jsonl.gz")):
        for row in lines(path):
            label = _equal_numbers(row["pred"][0], row["gt"])
            if label is not None:
                rows.append(Row("tora gsm8k", f"{path.name}:{row['idx']}", row["code"][0], row["gt"], label))
    return rows


def _equal_numbers(left: str, right: str) -> bool | None:
    one, two = _number(left), _number(right)
    if one is None or two is None:
        return None if one is None and left.strip() else False
    if one == two:
        return True
    return None if abs(one - two) <= abs(two) / 100 else False


def _number(text: str) -> Fraction | None:
    clean = text.replace(",", "").replace("$", "").replace("\\", "").replace("%", "").strip().rstrip(".")
    try:
        return Fraction(clean)
    except (ValueError, ZeroDivisionError):
        return None


def mathcoder(data: Path) -> list[Row]:
    """Interleaved text, code and execution; the label is equality of the author's extracted text with the gold."""
    rows: list[Row] = []
    folder = data / "completions_mathcoder"
    for path in sorted(folder.glob("*.jsonl.gz")):
        wrong_file = "wrong" in path.name
        for row in lines(path):
            turns = [turn for turn in row["debug_result"][:-1] if turn["role"] in ("text", "code", "execution")]
            completion = "\n".join(_turn(turn) for turn in turns)
            gold, said = row["ground_truth"]["answer"], str(row["completion"])
            if wrong_file:
                label = _equal_numbers(said, gold)
                if label is False:
                    rows.append(Row("mathcoder gsm8k wrong", f"{path.name}:{row['id']}", completion, gold, False))
            elif "".join(said.split()) == "".join(gold.split()):
                rows.append(Row("mathcoder math500", f"{path.name}:{row['id']}", completion, gold, True))
            elif (label := _equal_numbers(said, gold)) is not None and _number(gold) is not None:
                rows.append(Row("mathcoder math500", f"{path.name}:{row['id']}", completion, gold, label))
    return rows


def _turn(turn: dict[str, str]) -> str:
    if turn["role"] == "text":
        return turn["content"]
    return f"```{'python' if turn['role'] == 'code' else 'output'}\n{turn['content']}\n```"


def mr_gsm8k(data: Path) -> list[Row]:
    """Labelled by people."""
    rows: list[Row] = []
    for row in lines(data / "completions_mr_gsm8k" / "mr_gsm8k_human_labelled.jsonl.gz"):
        if row["question_type"] == "POT" or _number(str(row["ground_truth_answer"])) is None:
            continue
        completion = "\n".join(step.split(": ", 1)[-1] for step in row["model_output_steps"])
        label = row["model_output_answer_correctness"] == "correct"
        rows.append(Row("mr_gsm8k", row["uuid"], completion, str(row["ground_truth_answer"]), label))
    return rows


def gsm8k_openai(data: Path) -> list[Row]:
    """Four solutions a question, the last line `A: n`, labelled by the authors."""
    rows: list[Row] = []
    for at, row in enumerate(lines(data / "completions_gsm8k_openai" / "gsm8k_openai_175b_6b.jsonl.gz")):
        gold = row["ground_truth"].rsplit("A:", 1)[-1].strip()
        for model in ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"):
            rows.append(
                Row("gsm8k_openai", f"{at}:{model}", row[model]["solution"], gold, bool(row[model]["is_correct"]))
            )
    return rows


def dynamic_cheatsheet(data: Path) -> list[Row]:
    """AIME answers in `<answer>` tags; rows in which none was found are left out."""
    rows: list[Row] = []
    for path in sorted((data / "completions_dynamic_cheatsheet").glob("*aime*.jsonl.gz")):
        for at, row in enumerate(lines(path)):
            if "<answer>" in row["final_output"]:
                label = _equal_numbers(row["final_answer"], row["target"])
                if label is not None:
                    rows.append(
                        Row("dynamic_cheatsheet aime", f"{path.name}:{at}", row["final_output"], row["target"], label)
                    )
    return rows


def equation_balancer(data: Path) -> list[Row]:
    """Equations with operators filled in: right when the text is the target's; another true equation is left out."""
    rows: list[Row] = []
    for path in sorted((data / "completions_dynamic_cheatsheet").glob("*balancer.jsonl.gz")):
        for at, row in enumerate(lines(path)):
            said, target = "".join(row["final_answer"].split()), "".join(row["target"].split())
            if "<answer>" not in row["final_output"]:
                continue
            if said == target:
                rows.append(Row("equation_balancer", f"{path.name}:{at}", row["final_output"], row["target"], True))
    return rows


def aqua(data: Path) -> list[Row]:
    """Option letters; the label follows where the response names exactly one option at its end."""
    rows: list[Row] = []
    for at, row in enumerate(lines(data / "completions_aqua_gpt4" / "pot__gpt4__aqua.jsonl.gz")):
        letters = re.findall(r"\b([A-E])\)", row["generated_prediction"])
        if len(set(letters)) == 1 and re.search(r"(answer is:? |Answer: |^)[A-E]\)", row["generated_prediction"]):
            rows.append(
                Row("aqua_gpt4", str(at), row["generated_prediction"], row["answer"], letters[0] == row["answer"])
            )
    return rows


def hardverify(data: Path) -> list[Row]:
    """HardVerify-Math, the half here: a right answer that simple rules reject and a wrong one, each put in a box."""
    rows: list[Row] = []
    for row in lines(data / "hardverify_math" / "hardverify_math.jsonl.gz"):
        for column, label in (("fn_output", True), ("tn_output", False)):
            rows.append(
                Row(
                    "hardverify_math",
                    f"{row['id']}:{column}",
                    f"$\\boxed{{{row[column]}}}$",
                    row["ground_truth"],
                    label,
                )
            )
    return rows


def theoremqa(data: Path) -> list[Row]:
    """Whole numbers, truth values, lists of them and options; the authors compare floats loosely, so those are apart."""
    rows: list[Row] = []
    for path in sorted((data / "theoremqa").glob("theoremqa__*.jsonl.gz")):
        for row in lines(path):
            kind = row["answer_type"]
            name = "theoremqa float (rtol 0.04)" if "float" in kind else "theoremqa"
            gold = str(row["answer"])
            rows.append(Row(name, f"{path.name}:{row['id']}", row["rationale"], gold, bool(row["correct"]), tag=kind))
    return rows


def cross_model(data: Path) -> list[Row]:
    """Different boxed answers to one problem: one model's right answer is the gold for the other models' answers."""
    right: dict[str, dict[str, None]] = {}
    wrong: dict[str, dict[str, None]] = {}
    for row in (*skythought(data), *qwen_math(data)):
        box = _last_box(row.completion)
        if box and len(box) < 200 and row.tag != "multi_box" and (row.label or row.basis == "agree"):
            problem = f"{row.set_name}:{row.name.split(':')[1]}"
            (right if row.label else wrong).setdefault(problem, {})[box] = None
    rows: list[Row] = []
    for problem, answers in right.items():
        texts = list(answers)
        for at, text in enumerate(texts):
            name = f"{problem}:{at}"
            others = [other for other in texts if other != text]
            rows += [Row("cross-model", name, f"$\\boxed{{{other}}}$", text, label=True) for other in others]
            rows += [
                Row("cross-model", name, f"$\\boxed{{{other}}}$", text, label=False) for other in wrong.get(problem, {})
            ]
    return rows


VERDICT_SETS: tuple[Callable[[Path], list[Row]], ...] = (
    skythought,
    qwen_math,
    tora,
    mathcoder,
    mr_gsm8k,
    gsm8k_openai,
    dynamic_cheatsheet,
    equation_balancer,
    aqua,
    cross_model,
    hardverify,
    theoremqa,
)


def golds(data: Path) -> dict[str, list[str]]:
    """Gold answers of each data set, as they stand."""
    out = {
        "math500": [row["answer"] for row in lines(data / "math500" / "test.jsonl.gz")],
        "math_test": [_last_box(row["solution"]) for row in lines(data / "math_test" / "math_test.jsonl.gz")],
        "olympiadbench": [row["final_answer"][0] for row in lines(data / "olympiadbench" / "olympiadbench.jsonl.gz")],
        "omni_math_rule": [row["answer"] for row in lines(data / "omni_math_rule" / "omni_math_rule.jsonl.gz")],
        "matharena": [
            str(row["answer_row"]["answer"]) for row in lines(data / "matharena" / "matharena_competitions.jsonl.gz")
        ],
        "theoremqa": [str(row["Answer"]) for row in lines(data / "theoremqa" / "theoremqa_test.jsonl.gz")],
        "deepmath": [
            row["reward_model"]["ground_truth"] for row in parquet(data / "deepmath" / "deepmath_14k.parquet")
        ],
        "bigmath_rl": [
            _one(row["reward_model"]["ground_truth"])
            for row in parquet(data / "bigmath_rl" / "bigmath_rl_tinyv.parquet")
        ],
        "deepscaler": [row["answer"] for row in lines(data / "deepscaler" / "deepscaler_math.jsonl.gz")]
        + [
            _one(row["reward_model"]["ground_truth"])
            for row in parquet(data / "deepscaler" / "deepscaler_uniform.parquet")
        ],
        "hardverify_math": [
            row["ground_truth"] for row in lines(data / "hardverify_math" / "hardverify_math.jsonl.gz")
        ],
    }
    return {name: sorted({text for text in texts if text}) for name, texts in out.items()}


def _one(value: Any) -> str:
    return str(value[0]) if isinstance(value, list) else str(value)


def _last_box(text: str) -> str:
    at = text.rfind("\\boxed")
    if at < 0:
        return ""
    start = text.find("{", at)
    if start < 0 or start - at > 8:
        return text[at + 6 : at + 8].strip()
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return text[start + 1 : i]
    return ""


def math_verify_suite(tests: Path) -> list[Row]:
    """Math-Verify's own cases, read from its test files by AST: triples of gold, answer and 0 or 1."""
    rows: list[Row] = []
    for path in sorted(tests.glob("test_*.py")):
        if path.name in ("test_strict.py", "test_string_extraction.py", "test_timeout.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                rows += _parametrised(path.stem, node)
    return rows


def _parametrised(stem: str, function: ast.FunctionDef) -> Iterator[Row]:
    for decorator in function.decorator_list:
        if (
            not isinstance(decorator, ast.Call)
            or len(decorator.args) < 2
            or not isinstance(decorator.args[1], ast.List)
        ):
            continue
        for case in decorator.args[1].elts:
            try:
                values = ast.literal_eval(case)
            except ValueError:
                continue
            if (
                isinstance(values, tuple)
                and len(values) >= 3
                and isinstance(values[2], int)
                and all(isinstance(v, str) for v in values[:2])
            ):
                extra = "" if len(values) == 3 else str(values[3])
                yield Row(
                    "math_verify_suite",
                    f"{stem}:{function.name}:{case.lineno}",
                    values[1],
                    values[0],
                    bool(values[2]),
                    tag=extra,
                )


DISPUTED: dict[str, str] = {
    **dict.fromkeys(
        (f"test_all:test_relations_math:{line}" for line in (388, 399, 405, 423, 461, 462)),
        "a chain of equalities that is false is accepted by its last or first member",
    ),
    "test_all:test_latex_notation:138": "the same",
    "test_all:test_relations_math:452": "the gold is broken",
    "test_numina_cases:test_numina_cases:121": "the gold is broken",
    **dict.fromkeys(
        ("test_all:test_latex_notation:132", "test_all:test_latex_notation:133"),
        "a line break between the dollars must hide the answer",
    ),
    **dict.fromkeys(
        (f"test_all:test_set_rel_assymetry:{line}" for line in (901, 907)),
        "the same two texts with both labels, by an option of theirs",
    ),
    **dict.fromkeys(
        ("test_numina_cases:test_numina_cases:9", "test_numina_cases:test_numina_cases:96"),
        "the answer has a tuple more than the gold",
    ),
    **dict.fromkeys(
        (f"test_all:test_relations_math:{line}" for line in (429, 441)),
        "an inequality that still has to be solved, which docs/math.md refuses",
    ),
    "test_numina_cases:test_numina_cases:24": "a complex modulus as a union of real intervals",
    "test_yujianll:test_string_extraction:28": "1 - 1/e is called equal to 1 + 1/e",
    "test_open_thoughts:test_open_thoughts:154": "which of two boxes in a gold count depends on the words between them",
}
"""Cases of Math-Verify's suite that pin something other than equality of answers, by test and line, with the reason."""


_SKY = "skythought__sky-t1-correct5k"
_BREAKS_OFF = "the response breaks off in the middle of the work; both graders that made the label took its last number"
_RIGHT = "the answer is right; the label comes from a bad extraction"
RELABELLED: dict[str, tuple[bool, str]] = {
    **dict.fromkeys(
        [f"{_SKY}-27b__math500.jsonl.gz:{at}:0" for at in (57, 88, 139, 158, 195, 476)]
        + [f"{_SKY}-14b__amc23.jsonl.gz:7:0"],
        (False, _BREAKS_OFF),
    ),
    f"{_SKY}-27b__math500.jsonl.gz:313:0": (True, "12\u03c0 inches per second is 12\\pi with its unit"),
    "skythought__gemma-2-27b-it__math500.jsonl.gz:164:0": (
        True,
        "the expression in the box is -\\sqrt{3}, not evaluated",
    ),
    "mathcoder__cl-34b__math500.jsonl.gz:test/intermediate_algebra/964.json": (
        False,
        "the box holds a recursion, not 1",
    ),
    "skythought__qwen2.5-14b-instruct__olympiadbench.jsonl.gz:269:0": (
        True,
        "the ground truth spells \\pi k as one command; the answer is right",
    ),
    "8df91126-490d-47d1-850f-22642d38ba19": (True, "the final answer is the gold; the label is about the steps"),
    **dict.fromkeys(
        (
            f"theoremqa__{name}.json"
            for name in (
                "chatgpt.jsonl.gz:elainewan/econ_micro_7_2",
                "chatgpt.jsonl.gz:wenhuchen/fermat_last",
                "claude2.jsonl.gz:wenhuchen/derivative2",
                "claude2.jsonl.gz:xueguangma/effective_rates_2",
                "chatgpt.jsonl.gz:elainewan/math_calculus_2_11",
                "chatgpt.jsonl.gz:jianyu_xu/Binomial_3",
                "chatgpt.jsonl.gz:xueguangma/effective_rates_2",
                "chatgpt.jsonl.gz:xueguangma/forward_rate_1",
                "chatgpt.jsonl.gz:xueguangma/holding_period_return",
                "claude2.jsonl.gz:elainewan/math_algebra_4_2",
                "claude2.jsonl.gz:wenhuchen/Rolle's_theorem",
                "claude2.jsonl.gz:wenhuchen/cauchy_riemann2",
                "claude2.jsonl.gz:xueguangma/abnormal_return",
                "claude2.jsonl.gz:wenhuchen/cauchy_integral1",
                "gpt4.jsonl.gz:elainewan/econ_micro_18_2",
                "gpt4.jsonl.gz:wenhuchen/cauchy_riemann2",
                "gpt4.jsonl.gz:panlu/angular_frequency2",
                "gpt4.jsonl.gz:maxku/cv-imageprocessing8-fourier",
            )
        ),
        (True, _RIGHT),
    ),
}
"""Labels that reading showed to be wrong, by the rules of docs/math.md. Only rows on which ours and the label disagree were read."""
