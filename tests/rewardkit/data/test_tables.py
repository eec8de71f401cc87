"""`reward.score_table`: each kind of table comes back as the same kind, with the same rows and the columns of the judgement."""

import pytest

from rewardkit import UsageError, load

ROWS = [
    {"response": "\\boxed{4}", "answer": "4", "level": 1},
    {"response": "\\boxed{5}", "answer": "4", "level": 2},
    {"response": "I give up", "answer": "4", "level": 3},
]


def as_list(rows):
    return rows, lambda table: table


def pandas(rows):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(rows), lambda frame: frame.astype(object).where(frame.notna(), None).to_dict("records")


def polars(rows):
    pl = pytest.importorskip("polars")
    return pl.DataFrame(rows), lambda frame: frame.to_dicts()


def arrow(rows):
    pa = pytest.importorskip("pyarrow")
    return pa.Table.from_pylist(rows), lambda table: table.to_pylist()


def dataset(rows):
    datasets = pytest.importorskip("datasets")
    return datasets.Dataset.from_list(rows), list


@pytest.mark.parametrize("make", [as_list, pandas, polars, arrow, dataset])
def test_each_kind_of_table_keeps_its_rows_and_gets_the_judgement(make):
    table, back = make(ROWS)
    scored = load("math").score_table(table)
    assert type(scored) is type(table)
    found = back(scored)
    assert [{name: row[name] for name in ROWS[0]} for row in found] == ROWS
    assert [row["reward"] for row in found] == [1.0, 0.0, 0.0]
    assert [row["reward_verdict"] for row in found] == ["correct", "wrong", "no_answer"]
    assert [row["reward_answer"] for row in found] == ["4", "5", None]
    assert [row["reward_accuracy"] for row in found] == [1, 0, 0]


@pytest.mark.parametrize("make", [as_list, pandas, polars, arrow, dataset])
def test_a_missing_completion_is_unjudged_wherever_it_is_in_a_table(make):
    rows = [{"completion": text, "response": "\\boxed{4}", "answer": "4"} for text in (None, "\\boxed{4}", None)]
    table, back = make(rows)
    assert [row["reward_verdict"] for row in back(load("math").score_table(table))] == [
        "unjudged",
        "correct",
        "unjudged",
    ]


@pytest.mark.parametrize("make", [as_list, pandas, polars, arrow, dataset])
def test_objects_that_a_table_pads_are_judged_as_they_were(make):
    text = '<tool_call>{"name": "f", "arguments": %s}</tool_call>'
    rows = [
        {
            "completion": text % '{"city": "Oslo"}',
            "ground_truth": {"name": "f", "arguments": {"city": "Oslo"}},
            "tools": {"f": {}},
        },
        {
            "completion": text % '{"x": 1}',
            "ground_truth": {"name": "f", "arguments": {"x": 1}},
            "tools": {"g": {"a": 1}, "h": {"a": 1}},
        },
    ]
    table, back = make(rows)
    assert [row["reward"] for row in back(load("tool_match(partial=False)").score_table(table))] == [1.0, 1.0]
    assert [row["reward"] for row in back(load("tool_call_format").score_table(table))] == [1.0, 0.0]


def test_several_completions_of_a_row_give_lists():
    found = load("math").score_table([{"completion": ["\\boxed{4}", "\\boxed{5}"], "answer": "4"}])
    assert found[0]["reward"] == [1.0, 0.0]


def test_a_second_reward_needs_a_prefix_of_its_own():
    once = load("math").score_table(ROWS)
    with pytest.raises(UsageError, match="prefix"):
        load("exact").score_table(once)
    assert "exact_verdict" in load("exact").score_table(once, prefix="exact")[0]


@pytest.mark.parametrize("make", [as_list, pandas, polars, arrow, dataset])
@pytest.mark.parametrize("index", range(len(ROWS)))
def test_a_column_of_the_user_is_never_replaced_whatever_row_has_it(index, make):
    rows = [{**row, "reward": 7.0} if place == index else row for place, row in enumerate(ROWS)]
    with pytest.raises(UsageError, match="has a column 'reward' already"):
        load("math").score_table(
            make(rows)[0] if make is as_list else make([{"reward": None, **row} for row in rows])[0]
        )


def test_a_name_twice_among_the_columns_is_refused():
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    names = ["completion", "answer", "answer"]
    for table in (pd.DataFrame([["4", "4", "5"]], columns=names), pa.table([["4"], ["4"], ["5"]], names)):
        with pytest.raises(UsageError, match="the table has 2 columns named 'answer'"):
            load("math").score_table(table)


@pytest.mark.parametrize("table", [[], "rows.jsonl", [1, 2], {"completion": ["4"]}, [{"text": "4"}]])
def test_what_is_no_table_of_completions_is_refused_in_one_sentence(table):
    with pytest.raises(UsageError) as caught:
        load("math").score_table(table)
    assert len(str(caught.value).splitlines()) == 1
