"""Web pages as Markdown: what a reader gets, and that no page can hold the reader up."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable

import pytest

from edge.tools.web_page import MOST, page

HEAPS = 40_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 4_000
HERE = "http://board.example"


def plain(place: str, base: str) -> str:
    return (base or HERE) + place


def text(html: str, absolute: Callable[[str, str], str] = lambda place, base: HERE + place) -> str:
    return page(html, absolute).text


def test_title_headings_paragraphs_and_line_breaks() -> None:
    found = page("<title>Pump &amp; valve</title><h1>The <em>pump</em></h1><p>It  runs\n daily.<p>Mind<br>this.", plain)
    assert found.title == "Pump & valve"
    assert found.text == "# The pump\n\nIt runs daily.\n\nMind\nthis." and not found.cut


def test_lists_are_indented_and_numbered_as_the_page_says() -> None:
    html = "<ul><li>one<li>two<ul><li>deep</ul><li>three</ul><ol start=3><li>c<li>d</ol>"
    assert text(html) == "- one\n- two\n  - deep\n- three\n\n3. c\n4. d"


def test_tables_of_data_are_tables_and_tables_of_layout_are_not() -> None:
    html = "<table><thead><tr><th>Name<th>Unit</thead><tr><td>flow<td>l/min<tr><td>a|b</table>"
    assert text(html) == "| Name | Unit |\n| --- | --- |\n| flow | l/min |\n| a\\|b | |"
    assert text("<table><tr><td>Menu<tr><td>Text <b>here</b></table>") == "Menu\nText here"
    assert text("<table><tr><td>a<td><table><tr><td>x<td>y</table><tr><td>b<td>c</table>").count("\n") == 2


def test_links_are_absolute_and_those_that_lead_nowhere_are_text() -> None:
    assert text('see<a href="/x?a=1&amp;b=2"> the <b>manual</b> </a>now') == f"see [the manual]({HERE}/x?a=1&b=2) now"
    assert text('<a href="javascript:go()">go</a>', lambda place, base: "") == "go"
    assert text("<a href=/a>one<a href=/b>two</a>") == f"[one]({HERE}/a)[two]({HERE}/b)"
    assert text('<a href=/a><img src=x alt="a  pump"></a>') == f"[[image: a pump]]({HERE}/a)"
    assert text("<a href=/a></a><a>no place</a>") == "no place"


def test_a_page_may_name_the_base_of_its_links() -> None:
    html = "<base href=/doc/><base href=/no/><a href=a>a</a>"
    assert text(html, lambda place, base: f"{base or HERE}{place}") == f"[a]({HERE}/doc/a)"


def test_frames_and_pages_that_lead_on_are_links() -> None:
    assert (
        text("<frameset><frame src='/menu'><frame src=/main></frameset>")
        == f"[frame]({HERE}/menu)\n[frame]({HERE}/main)"
    )
    assert text("<p>a<iframe src=/x>old <b>browsers</b></iframe>b") == f"a\n[frame]({HERE}/x)\nb"
    assert text("<meta http-equiv=Refresh content=\"0; URL='/new'\">") == f"[leads on]({HERE}/new)"
    assert text("<meta charset=utf-8><meta name=x content='a=/b'>y") == "y"


def test_code_stays_as_it_is() -> None:
    assert text("<pre>\nif x &lt; 1:\n    go()</pre>") == "```\nif x < 1:\n    go()\n```"
    assert text("run <code>ls</code>") == "run `ls`"


def test_quotations_definitions_and_rules() -> None:
    assert text("<blockquote><p>said</blockquote><dl><dt>PWM<dd>pulses</dl><hr>") == "> said\nPWM\n: pulses\n---"


def test_what_nobody_reads_is_left_out() -> None:
    html = (
        "<style>p{}</style><script>if (a<b) go('</p>')</script><nav><a href=/>Home</a></nav><template>t</template>"
        "<svg/><svg><title>icon</title></svg><div hidden>secret</div><span style='display: none'>ink</span>"
        "<div aria-hidden=true><div>x</div>y</div><select><option>1</select><p>Text<footer>imprint</footer><!-- c -->"
    )
    found = page(html, plain)
    assert (found.title, found.text) == ("", "Text")


def test_a_page_that_is_all_navigation_or_never_ends_it_is_read_nevertheless() -> None:
    assert text("<nav><a href=/>Home</a></nav>") == f"[Home]({HERE}/)"
    assert text("<nav>menu<p>Text") == "menu\n\nText"


@pytest.mark.parametrize(
    ("html", "said"),
    [("a < b && c > d", "a < b && c > d"), ("1<2", "1<2"), ("<", "<"), ("a<", "a<"), ("<a", ""), ("x<a b='", "x"),
     ("<!doctype html>x", "x"), ("<?xml?>x", "x"), ("</>x", "x"), ("<!-- a > b -->x", "x"), ("x<!-- never", "x"),
     ('<p title="a > b">x', "x"), ("<p title=a'b>x", "x"), ("<P>x</P >y", "x\n\ny"), ("<scrip>x", "x"),
     ("<script>a</scripts>b</SCRIPT >x", "x"), ("<p/>x", "x"), ("<title>x<p>y", "y"),
     ("&lt;b&gt; &euro; &#x41;", "<b> € A"),
     ("<textarea><b>x</textarea>y", "y"), ("", "")],
)  # fmt: skip
def test_broken_and_odd_markup(html: str, said: str) -> None:
    assert text(html) == said


def test_what_stands_beyond_the_last_cell_of_a_row_is_in_it() -> None:
    rows = "".join("<tr>" + "".join(f"<td>{row}.{cell}" for cell in range(70)) for row in range(2))
    assert text(f"<table>{rows}</table>").endswith("| 1.62 | 1.63 1.64 1.65 1.66 1.67 1.68 1.69 |")


HOSTILE = (
    *("<", "</", "<!", "<!--", "<?", "<![CDATA[", "<a ", "<a b='", '<a b="', '<a ">" ', "<a '\"> ", "<a href="),
    *("<div>", "<b>", "<ul><li>a", "<blockquote><p>a", "<table><tr><td>a", "<tr><td>a<td>b", "<pre>a", "&#1;", "&amp"),
    *(
        "<script>",
        "<script></scripx",
        "<title>",
        "<p hidden>",
        "<div hidden>",
        "<nav>",
        "<h1>",
        "<a href=x>y</a>",
        "</td>b",
    ),
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_page_costs_no_more_than_its_length(piece: str) -> None:
    def cost(size: int) -> float:
        begun = time.process_time()
        found = page(piece * (size // len(piece)), lambda place, base: HERE + "/" + place)
        assert len(found.text) <= MOST
        return time.process_time() - begun

    small, large = cost(1 << 13), cost(1 << 16)
    assert large < max(0.5, 40 * small)  # eight times the length; sixty-four times would be the square


def test_a_small_page_cannot_become_a_large_text() -> None:
    found = page("<a href=/>y</a>" * 20_000, lambda place, base: HERE + "/" + "x" * 1900)
    assert found.cut and len(found.text) <= MOST
    assert page("<table><tr>" + "<td>x" * 64 + "<tr><td>y" * 30_000, plain).cut


WORDS = (
    *("<p>", "</p>", "<ul>", "<li>", "</ul>", "<table>", "<tr>", "<td>", "</td>", "</table>", "<a href=/x>", "</a>"),
    *("<pre>", "</pre>", "<h2>", "</h2>", "<blockquote>", "</blockquote>", "<script>", "</script>", "<!--", "-->"),
    *("<nav>", "</nav>", "<br>", "<title>", "</title>", "<div hidden>", "</div>", "<", ">", '"', "'", "&lt;", "&"),
    *("<code>", "</code>", "text", " ", "\n", "\0", "\u20ac", "\ud800", "<svg/>", "<img alt=x>", "<dd>", "<hr>", "/"),
)


def test_any_heap_of_tags_is_read() -> None:
    chance = random.Random(20)
    for _ in range(HEAPS):
        html = "".join(chance.choices(WORDS, k=chance.randrange(1, 40)))
        found = page(html, lambda place, base: HERE + place)
        assert len(found.text) <= 60 * len(html) + 100 and "<script>" not in found.text.replace("&lt;", "")
    print(f"{HEAPS} heaps of tags read")
