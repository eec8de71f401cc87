"""Pages stand alone and say nothing that a model put in as markup."""

from rewardkit.report import bar, page, paragraph, section, table


def test_everything_given_as_text_is_escaped():
    bad = "<script>alert('x')</script>"
    text = page(bad, [bad], section(bad, paragraph(bad) + table((bad,), [(bad, 1)]) + bar(0.5, bad), tone='"><script>'))
    assert "<script" not in text
    assert text.count("&lt;script&gt;") >= 6


def test_page_needs_nothing_from_elsewhere():
    text = page("Title", ["fact", ""], "")
    assert "default-src 'none'" in text
    assert "prefers-color-scheme: dark" in text
    assert "src=" not in text
    assert text.count("<li>") == 1


def test_bar_stays_within_its_frame():
    assert "width:100.00%" in bar(7, "x")
    assert "width:0.00%" in bar(-1, "x")


def test_first_columns_are_set_left():
    html = table(("a", "b"), [("x", 1)], left=1)
    assert '<td class="l">x</td><td class="r">1</td>' in html
