"""Training runs depend on values: a value may change only together with its reward's version.

`tests/cases/golden_values.json` holds, for each reward and version, what the golden rows gave. After raising a version run
`python tests/rewardkit/test_golden_values.py`, which adds the new version's values and refuses to touch an old one's.
"""

import json
import sys
from pathlib import Path

import pytest

from rewardkit import Sample, load, registry

CASES = Path(__file__).parents[1] / "cases"
GOLDEN = CASES / "golden_values.json"


def needs_service(name):
    return any(word in need for need in registry.get(name).needs for word in ("sandbox", "server"))


def measured(name):
    """Value of each golden row, by the reward's text and the row itself."""
    values = {}
    for line in (CASES / "rewards" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        score = load(row["reward"]).score([Sample(**row["sample"])])[0]
        value = None if score.value is None else round(score.value, 12)
        values[key(row)] = [value, score.verdict.value]
    return values


def key(row):
    import hashlib

    sample = json.dumps(row["sample"], sort_keys=True, ensure_ascii=False)
    return f"{row['reward']} @ {hashlib.sha256(sample.encode()).hexdigest()[:12]}"


def entry(name):
    return f"{name}@{registry.get(name).version}"


def read_golden():
    return json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.is_file() else {}


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


def record():
    golden = read_golden()
    for name in registry.names():
        if not needs_service(name):
            merge(golden, entry(name), measured(name))
    lines = (f"  {json.dumps(name)}: {json.dumps(golden[name], sort_keys=True)}" for name in sorted(golden))
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    record()
