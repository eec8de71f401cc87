import random
import sys
from collections import Counter, defaultdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rewardkit.stats import clustered_interval
from rewardkit.summary import Clusters, Summary, number_text

ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.sampled_from([0, 1, None])), max_size=200)


def row(source: str, problem: int, accuracy: int | None) -> dict[str, Any]:
    verdict = {0: "wrong", 1: "correct", None: "unjudged"}[accuracy]
    value = None if accuracy is None else float(accuracy)
    return {
        "id": str(problem), "data_source": source, "verdict": verdict, "accuracy": accuracy, "score": value, "reward": value, "error": "x",
    }  # fmt: skip


@given(ROWS)
def test_a_summary_tells_what_all_rows_at_once_tell(rows: list[tuple[str, int, int | None]]) -> None:
    summary = Summary()
    problems: dict[tuple[str, int], list[int]] = defaultdict(list)
    for source, problem, accuracy in rows:
        summary.add(row(source, problem, accuracy))
        if accuracy is not None:
            problems[source, problem].append(accuracy)
    expected = Counter((sum(answers), len(answers)) for answers in problems.values())
    total = summary.total
    assert (total.n, total.judged, total.clusters) == (len(rows), sum(map(len, problems.values())), expected)
    assert total.problems == len(problems)
    if problems:
        found = clustered_interval(expected)
        assert total.interval == (found.low, found.high)
    assert sum(each.n for each in summary.sources.values()) == len(rows)


@given(ROWS)
def test_a_problem_of_several_sources_is_one_cluster_of_all(rows: list[tuple[str, int, int | None]]) -> None:
    together, apart, one = Summary(), Summary(), Summary()
    for source, problem, accuracy in rows:
        together.add(row(source, problem, accuracy), problem)
        apart.add(row(source, problem, accuracy), (source, problem))
        one.add(row("a", problem, accuracy), problem)
    assert together.total == one.total
    assert together.sources == apart.sources


def test_problems_take_few_bytes_and_none_is_mixed_up_with_another() -> None:
    rng, clusters, exact = random.Random(1), Clusters(), Counter[int]()
    for _ in range(60_000):
        key = rng.randrange(20_000) * 1024  # neighbours in the smallest table
        clusters.add(key, 1)
        exact[key] += 1
    assert clusters.counts() == Counter((count, count) for count in exact.values())
    assert sum(map(sys.getsizeof, vars(clusters).values())) < 25 * len(exact)


@given(st.floats(-1e6, 1e6))
def test_a_number_is_shown_with_four_figures_or_three_decimals(value: float) -> None:
    shown = number_text(value)
    assert abs(float(shown) - value) <= (0.0005 if abs(value) < 10 else 0.0005 * abs(value)) + 1e-9
    assert len(shown.lstrip("-")) <= (5 if abs(value) < 10 - 0.0005 else 9)
    assert number_text(None) == "-"
    assert [number_text(one) for one in (0.5, 10.5, -10.5, 1234.5)] == ["0.500", "10.5", "-10.5", "1234"]
