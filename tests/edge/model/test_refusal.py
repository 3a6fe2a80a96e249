"""Answers that are no replies, as sentences."""

from __future__ import annotations

import pytest

from edge.model.refusal import QUOTED, quoted, refused

AT = "127.0.0.1:8080/v1/chat/completions"
PAGE = """<!DOCTYPE html><html><head><title>502 Bad Gateway</title><style>b{color:red}</style></head>
<body><script>alert("x")</script><h1>502 Bad&nbsp;Gateway</h1><hr>nginx\x1b[2J\x00<!-- a
comment --><p onclick="x()">try again</body></html>"""


def test_an_html_page_becomes_its_text():
    said = quoted(PAGE.encode(), "")
    assert said == "502 Bad&nbsp;Gateway nginx try again"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"error": {"message": "no such model", "type": "x"}}', "no such model"),
        ('{"error": "out of memory"}', "out of memory"),
        ('{"message": "slow\\ndown"}', "slow down"),
        ('{"detail": [{"loc": ["body"]}]}', "[{'loc': ['body']}]"),
        ('{"error": {"message": null}}', ""),
        ("{}", ""),
        ("null", "None"),
        ("", ""),
        ("plain text", "plain text"),
        ("<b", ""),
        ("a < b", "a < b"),
        ("\xff\xfe", "\u00ff\u00fe"),
        ('{"error": "\\ud800"}', "\ufffd"),
    ],
)
def test_bodies(body, said):
    assert quoted(body.encode("utf-8"), "") == said


def test_it_is_clipped_to_one_line():
    said = quoted(("line\n" * 10_000).encode(), "")
    assert len(said) == QUOTED
    assert said.endswith("...")
    assert "\n" not in said


QUOTES = ("bad: sesame-open", '{"error": "key s\\u0065same-open"}', "<p>sesame-open</p>", "x" * 4090 + "sesame-open")


@pytest.mark.parametrize("body", QUOTES)
def test_a_key_that_is_quoted_back_is_taken_out(body):
    for status in (401, 500):
        fault = refused(status, body.encode(), AT, "sesame-open")
        assert "sesame" not in str(fault)


@pytest.mark.parametrize(
    ("status", "body", "what", "fix"),
    [
        (401, "no", "wants another key (status 401): no", "key_env or key_file"),
        (403, "", "does not allow this (status 403)", "what the key may do"),
        (404, "", "no such model or path (status 404)", "/v1"),
        (404, '{"error":{"message":"model \\"x\\" not found"}}', 'model "x" not found', "model's name"),
        (400, '{"error":"model x does not exist"}', "does not exist", "model's name"),
        (400, '{"error":"response_format is not supported"}', "response_format", 'mode = "native"'),
        (400, '{"error":"failed to parse grammar"}', "grammar", 'mode = "native"'),
        (400, '{"error":"tools are not supported"}', "tools", 'mode = "json"'),
        (500, '{"error":"tools param requires --jinja flag"}', "jinja", 'mode = "json"'),
        (400, '{"error":"the request exceeds the context size"}', "context size", "new conversation"),
        (400, '{"error":"use max_completion_tokens"}', "max_completion_tokens", "another model"),
        (308, "", "sends elsewhere", "base_url"),
        (418, "", "refused the request (status 418)", ""),
        (502, PAGE, "failed (status 502): 502 Bad&nbsp;Gateway", ""),
    ],
)
def test_what_it_means_and_what_to_do(status, body, what, fix):
    fault = refused(status, body.encode(), AT, "")
    assert fault.sentence.startswith(AT)
    assert what in fault.sentence
    assert fix in fault.fix
    assert bool(fix) == bool(fault.fix)
    assert fault.endpoint == AT
