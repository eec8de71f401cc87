"""Pages stand alone and say nothing that a model put in as markup."""

import json
import sys

import pytest

pytest.importorskip("jinja2")

from rewardkit.report import bar, engine, join, page, paragraph, script_json, section, table


def test_everything_given_as_text_is_escaped():
    bad = "<script>alert('x')</script>"
    text = page(
        bad, [(bad, bad)], section(bad, paragraph(bad) + table((bad,), [(bad, 1)]) + bar(0.5, bad), tone='"><script>')
    )
    assert "<script" not in text
    assert text.count("&lt;script&gt;") >= 6


def test_text_given_where_markup_belongs_is_escaped_too():
    assert "<h1>" not in section("heading", "<h1>text</h1>")
    assert "&lt;h1&gt;" in join([paragraph("a"), "<h1>"])


def test_without_the_engine_the_cure_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    engine.cache_clear()
    with pytest.raises(ImportError, match=r"rewardkit\[report\]"):
        paragraph("text")
    engine.cache_clear()


def test_page_needs_nothing_from_elsewhere():
    text = page("Title", [("fact", "1"), ("empty", "")], "")
    assert "default-src 'none'" in text
    assert "color-scheme: light dark" in text
    assert "<script" not in text
    assert "src=" not in text
    assert text.count("<li>") == 1


def test_bar_stays_within_its_frame():
    assert "width:100.00%" in bar(7, "x")
    assert "width:0.00%" in bar(-1, "x")


def test_first_columns_are_set_left():
    html = table(("a", "b"), [("x", 1)], left=1)
    assert '<td class="l">x</td><td class="r">1</td>' in html


def test_rows_can_carry_a_tone():
    html = table(("a",), [("x",), ("y",)], tones=["up", ""])
    assert '<tr class="up"><td class="l">x</td></tr><tr><td class="l">y</td></tr>' in html


def test_json_in_a_script_stays_there():
    nasty = "</script><script>alert(1)</script> & \u2028"
    assert "<" not in script_json({"x": nasty})
    assert json.loads(script_json({"x": nasty})) == {"x": nasty}


def test_a_page_with_a_script_gets_its_data_and_a_switch():
    text = page("Title", [], "", style="b { color: red }", script="run()", data={"rows": "[1]"})
    assert '<script type="text/plain" id="rows">[1]</script>' in text
    assert "b { color: red }</style>" in text
    assert 'id="theme"' in text
    assert "script-src 'unsafe-inline'" in text
