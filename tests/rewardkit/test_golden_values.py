"""Training runs depend on values: a value may change only together with its reward's version.

`tests/cases/golden_values.json` holds, for each reward and version, what the golden rows gave, and `variant_values.json` a digest of what
some 80 variants of each row gave. After raising a version run `python tests/rewardkit/test_golden_values.py`, which adds the new version's
values and refuses to touch an old one's. `--show 'KEY'` prints the variants of a row with their values, to be compared with those of another commit.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "rewards"))

from variants import values

from rewardkit import Sample, load, registry

CASES = Path(__file__).parents[1] / "cases"
GOLDEN = CASES / "golden_values.json"
VARIANTS = CASES / "variant_values.json"
VERIFIER = {"math", "boxed_accuracy", "majority"}
"""Rewards whose rows say what counts as equal; the laws of `tests/rewardkit/math` are about their variants."""
LONG = 5_000
"""Variants of longer rows would say nothing more."""


def needs_service(name):
    return any(word in need for need in registry.get(name).needs for word in ("sandbox", "server"))


def rows(name):
    return [json.loads(line) for line in (CASES / "rewards" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def measured(name):
    """Value of each golden row, by the reward's text and the row itself."""
    found = {}
    for row in rows(name):
        score = load(row["reward"]).score([Sample(**row["sample"])])[0]
        value = None if score.value is None else round(score.value, 12)
        found[key(row)] = [value, score.verdict.value]
    return found


def measured_variants(name):
    """A digest of the values of each golden row's variants."""
    return {key(row): digest("\n".join(values(row))) for row in rows(name) if has_variants(row)}


def has_variants(row):
    return not VERIFIER & set(re.findall(r"\w+", row["reward"])) and len(json.dumps(row["sample"])) < LONG


def key(row):
    return f"{row['reward']} @ {digest(json.dumps(row['sample'], sort_keys=True, ensure_ascii=False))}"


def digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def entry(name):
    return f"{name}@{registry.get(name).version}"


def read_golden(path=GOLDEN):
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def changed(old, new):
    """Rows of an entry whose value or verdict is no longer the recorded one. Rows that are new are no change."""
    return {row: (old[row], new[row]) for row in old.keys() & new.keys() if old[row] != new[row]}


def pytest_generate_tests(metafunc):
    if "golden_name" in metafunc.fixturenames:
        metafunc.parametrize("golden_name", [name for name in registry.names() if not needs_service(name)])


def test_values_change_only_with_the_version(golden_name):
    golden = read_golden()
    assert entry(golden_name) in golden, f"record {entry(golden_name)}: python {Path(__file__).relative_to(Path.cwd())}"
    found = changed(golden[entry(golden_name)], measured(golden_name))
    assert not found, f"values of {golden_name} changed; raise its version, record, and say so in CHANGELOG.md: {found}"


def test_values_of_variants_change_only_with_the_version(golden_name):
    recorded = read_golden(VARIANTS).get(entry(golden_name), {})
    new = measured_variants(golden_name)
    assert recorded.keys() >= new.keys(), f"record them: python {Path(__file__).relative_to(Path.cwd())}"
    found = sorted(changed(recorded, new))
    assert not found, f"values of {golden_name} changed: raise its version, record; `--show {found[0]!r}` prints them"


def test_a_changed_value_is_noticed():
    old = {"math @ 1": [1.0, "correct"], "math @ 2": [0.0, "wrong"]}
    assert changed(old, {"math @ 1": [1.0, "correct"], "math @ 3": [0.0, "wrong"]}) == {}
    assert changed(old, {"math @ 1": [0.5, "partial"]}) == {"math @ 1": ([1.0, "correct"], [0.5, "partial"])}


def test_recording_refuses_to_change_an_old_version(tmp_path):
    golden = {"exact@1": {"exact @ x": [1.0, "correct"]}}
    with pytest.raises(SystemExit, match="raise the version"):
        merge(golden, "exact@1", {"exact @ x": [0.0, "wrong"]})
    merge(golden, "exact@2", {"exact @ x": [0.0, "wrong"]})
    assert golden["exact@1"] == {"exact @ x": [1.0, "correct"]}


def merge(golden, name, values):
    """Record an entry; rows may be added to a version, but none may change."""
    found = changed(golden.get(name, {}), values)
    if found:
        sys.exit(f"{name}: {len(found)} recorded values would change; raise the version of the reward: {found}")
    golden[name] = {**golden.get(name, {}), **values}


def record(path, measure):
    golden = read_golden(path)
    for name in registry.names():
        if not needs_service(name):
            merge(golden, entry(name), measure(name))
    lines = (f"  {json.dumps(name)}: {json.dumps(golden[name], sort_keys=True)}" for name in sorted(golden))
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--show"]:
        for each in (row for name in registry.names() for row in rows(name) if key(row) == sys.argv[2]):
            print("\n".join(values(each)))
    else:
        record(GOLDEN, measured)
        record(VARIANTS, measured_variants)
