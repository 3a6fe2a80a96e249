"""Grants of the command line: how they are written, what they cover and what they never cover."""

from __future__ import annotations

import os
import random
import time
from typing import Any

import pytest

from edge.call import Call, Effect, Output, Root, Scene
from edge.faults import UsageFault
from edge.gate.grants import Spec, match, parse

SCENE = Scene("/home/pi/w", "/home/pi", (Root("work", "/home/pi/w"),))
ROUNDS = 20_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 2_000


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("output_set fan <=10m", ("output_set", ("fan",), 600.0, None, None, None)),
        ("output_set fan on <= 90 x3", ("output_set", ("fan", "on"), 90.0, 3, None, None)),
        ("file_write notes/* x5", ("file_write", ("notes/*",), None, 5, None, None)),
        ("fs.write notes/* for 1h30m", ("file_write", ("notes/*",), None, None, 5400.0, None)),
        (
            "http_request GET https://example.com/* until 18:00",
            ("http_request", ("GET", "https://example.com/*"), None, None, None, 64800),
        ),
        (
            'bash "systemctl restart pump-logger" x1',
            ("bash", ("systemctl restart pump-logger",), None, 1, None, None),
        ),
        ("bash 'echo \"x\"' x1 for 2h", ("bash", ('echo "x"',), None, 1, 7200.0, None)),
        ('output_set "x3"', ("output_set", ("x3",), None, None, None, None)),
        ("srv__tool srv/tool", ("srv__tool", ("srv/tool",), None, None, None, None)),
        ("  SHELL   'ls'  ", ("bash", ("ls",), None, None, None, None)),
        ("output_pulse pump <=30 x3", ("output_pulse", ("pump",), 30.0, 3, None, None)),
        ("gpio_write GPIO22 <=5", ("gpio_write", ("GPIO22",), 5.0, None, None, None)),
        ("file_read until.txt", ("file_read", ("until.txt",), None, None, None, None)),
    ],
)
def test_a_grant_is_tool_target_and_bounds(text: str, wanted: tuple[Any, ...]) -> None:
    tool, target, longest, count, seconds, until = wanted
    assert parse(text) == Spec(text.strip(), tool, target, longest, count, seconds, until)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "name of a tool"),
        ("'bash' ls", "name of a tool"),
        ("no_such x", "no tool 'no_such'"),
        ("output_set", "no target"),
        ("output_set <=10m", "no target"),
        ("output_set fan <=", "needs a value"),
        ("output_set fan <=soon", "no time such as"),
        ("output_set fan <=1.5h", "no time such as"),
        ("output_set fan <=10m <=5m", "two bounds of one kind"),
        ("output_set fan x0", "from 1 to"),
        ("output_set fan x99999", "from 1 to"),
        ("file_write a <=10m", "no output"),
        ("file_write a b", "several targets"),
        ("bash systemctl restart x", "several targets"),
        ("bash 'ls", "not closed"),
        ("bash 'ls'x1", "not closed before a blank"),
        ("file_write a for", "needs a value"),
        ("file_write a until 25:00", "time of the day"),
        ("file_write a until 1800", "time of the day"),
        ("file_write a for 1h until 18:00", "keep one of them"),
        ("file_write a x1 b", "behind the bounds"),
        ("http_request FETCH https://x.org/", "several targets"),
        # What nothing could ever fit would only seem to be a grant.
        ("http_request *", "begins with http"),
        ("http_request POST *", "begins with http"),
        ("http_request x.org", "begins with http"),
        ("web_fetch ftp://x.org/", "begins with http"),
        ("http_request https://*", "a [*] stands only before a domain"),
        ("http_request GET https://*/*", "a [*] stands only before a domain"),
        ("http_request https://*.com/", "too wide"),
        ("http_request https://u@x.org/", "user or password"),
        ("http_request http://0x7f.1/", "odd way"),
        ("output_set *", "an output is named"),
        ("output_set f?n on", "an output is named"),
        ("output_pulse *", "an output is named"),
        ("gpio_write GPIO*", "an output is named"),
    ],
)
def test_what_cannot_be_read_is_a_usage_fault_with_an_example(text: str, why: str) -> None:
    with pytest.raises(UsageFault, match=why) as caught:
        parse(text)
    assert caught.value.fix


def fits(text: str, effects: tuple[Effect, ...], tool: str = "", **args: Any) -> bool:
    spec = parse(text)
    return match(spec, Call(tool or spec.tool, args), effects, SCENE, 0, 0.0) == ""


@pytest.mark.parametrize(
    ("grant", "path", "wanted"),
    [
        ("notes/*", "notes/a.txt", True),
        ("notes/*", "./notes//a.txt", True),
        ("notes/*", "/home/pi/w/notes/a.txt", True),
        ("notes/*", "~/w/notes/a.txt", True),
        ("~/w/notes/*", "notes/a", True),
        ("notes/*", "notes/sub/a.txt", False),
        ("notes/*", "notes/../a.txt", False),
        ("notes/*", "notes/../../../etc/passwd", False),
        ("notes/*", "notes", False),
        ("notes/*", "notes/.bashrc", False),
        ("notes/.*", "notes/.bashrc", True),
        ("notes/**", "notes/a/b/c", True),
        ("notes/**", "notes/a/.git/hooks", False),
        ("**/a.txt", "x/y/a.txt", True),
        ("*.txt", "a.txt", True),
        ("*.txt", "sub/a.txt", False),
        ("a?.txt", "ab.txt", True),
        ("a?.txt", "a/.txt", False),
        ("a[b].txt", "ab.txt", False),
        ("a[b].txt", "a[b].txt", True),
        ("/etc/*", "/etc/hosts", True),
        ("A.txt", "a.txt", False),
    ],
)
def test_files_fit_by_where_they_lead_part_by_part(grant: str, path: str, wanted: bool) -> None:
    assert fits(f"file_write '{grant}'", (Effect("write", f"file:{path}"),)) is wanted


def test_a_grant_covers_every_effect_or_nothing_and_no_whole_folder() -> None:
    both = (Effect("read", "file:notes/a"), Effect("write", "file:notes/a"))
    assert fits("file_edit notes/*", both)
    assert not fits("file_edit notes/*", (*both, Effect("write", "file:other")))
    assert not fits("file_edit notes/*", (Effect("write", "file:notes/a", True),))
    assert not fits("file_edit notes/*", ())
    assert not fits("file_edit notes/*", both, "file_write")


@pytest.mark.parametrize(
    ("grant", "args", "wanted"),
    [
        ("fan <=10m", {"state": True, "for_seconds": 600}, True),
        ("fan <=10m", {"state": True, "for_seconds": 600.1}, False),
        ("fan <=10m", {"state": True, "for_seconds": float("nan")}, False),
        ("fan <=10m", {"state": True}, False),
        ("fan <=10m", {"state": False}, True),
        ("fan", {"state": True}, True),
        ("fan on", {"state": False}, False),
        ("fan OFF", {"state": False}, True),
        ("pump", {"state": True}, False),
    ],
)
def test_outputs_fit_by_name_state_and_time(grant: str, args: dict[str, Any], wanted: bool) -> None:
    assert fits(f"output_set {grant}", (Effect("actuate", "output:fan"),), **args) is wanted


@pytest.mark.parametrize(
    ("grant", "method", "url", "wanted"),
    [
        ("GET https://example.com/*", "GET", "https://example.com/a?b=c", True),
        ("GET https://example.com/*", "GET", "https://EXAMPLE.com:443/a", True),
        ("GET https://example.com/*", "POST", "https://example.com/a", False),
        ("GET https://example.com/*", "GET", "http://example.com/a", False),
        ("GET https://example.com/*", "GET", "https://example.com:8443/a", False),
        ("GET https://example.com/*", "GET", "https://example.com.evil.net/a", False),
        ("GET https://example.com/*", "GET", "https://evil.net/?https://example.com/a", False),
        ("GET https://*.example.com/*", "GET", "https://a.example.com/x", True),
        ("GET https://*.example.com/*", "GET", "https://evil.net/x.example.com/", False),
        ("https://example.com/*", "GET", "https://example.com/a", True),
        ("https://example.com/*", "HEAD", "https://example.com/a", True),
        ("https://example.com/*", "POST", "https://example.com/a", False),
        ("POST https://example.com/api/*", "POST", "https://example.com/api/x", True),
        ("POST https://example.com/api/*", "POST", "https://example.com/api/../admin", False),
        ("POST https://example.com/api/*", "POST", "https://example.com/api/%2e%2e/admin", False),
        ("GET http://127.0.0.1:8080/v1/*", "GET", "http://127.0.0.1:8080/v1/models", True),
        ("GET http://[::1]:8080/*", "GET", "http://[::1]:8080/x", True),
        ("GET https://example.com", "GET", "https://example.com/", True),
        ("GET https://example.com", "GET", "https://example.com/a", False),
        ("OPTIONS https://example.com/*", "OPTIONS", "https://example.com/a", True),
        ("https://example.com/*", "OPTIONS", "https://example.com/a", True),
    ],
)
def test_hosts_fit_by_method_origin_and_path(grant: str, method: str, url: str, wanted: bool) -> None:
    verb = "fetch" if method in ("GET", "HEAD", "OPTIONS") else "send"
    assert fits(f"http_request {grant}", (Effect(verb, f"url:{url}", detail=method),)) is wanted


@pytest.mark.parametrize(
    ("grant", "text", "wanted"),
    [
        ("systemctl restart pump-logger", "systemctl restart pump-logger", True),
        ("systemctl restart pump-logger", "systemctl restart pump-logger ", False),
        ("systemctl restart *", "systemctl restart pump-logger", True),
        ("systemctl restart *", "systemctl restart x; rm -rf y", False),
        ("systemctl restart *", "systemctl restart x && y", False),
        ("systemctl restart *", "systemctl restart $(reboot)", False),
        ("systemctl restart *", "systemctl restart `reboot`", False),
        ("systemctl restart *", "systemctl restart x\nreboot", False),
        ("systemctl restart *", "systemctl restart x > /tmp/y", False),
        ("systemctl restart *", "systemctl restart 'a b'", False),
        ("echo * > log/*", "echo hello > log/a", True),
        ("echo * > log/*", "echo hello > log/a > b", False),
        ("echo * > log/*", "echo hello", False),
        ("echo 'a*'", "echo 'abc'", True),
        ("*", "ls -l", True),
        ("*", "ls; rm x", False),
        ("ls ?", "ls ;", False),
    ],
)
def test_commands_fit_whole_and_no_star_stands_for_what_a_shell_acts_on(grant: str, text: str, wanted: bool) -> None:
    spec = Spec("x", "bash", (grant,))
    call = Call("bash", {"command": text})
    assert (match(spec, call, (Effect("run", "shell:sh", detail=text),), SCENE, 0, 0.0) == "") is wanted


def test_a_command_in_another_folder_or_in_the_background_is_another_command() -> None:
    effects = (Effect("run", "shell:sh", detail="make"),)
    assert fits("bash make", effects)
    assert not fits("bash make", effects, cwd="/srv") and not fits("bash make", effects, background=True)


def test_a_grant_is_used_up_and_over() -> None:
    spec = parse("file_write a x2 for 10m")
    call, effects = Call("file_write", {}), (Effect("write", "file:a"),)
    assert match(spec, call, effects, SCENE, 1, 599.0) == ""
    assert "used 2 times" in match(spec, call, effects, SCENE, 2, 0.0)
    assert "time is over" in match(spec, call, effects, SCENE, 0, 600.0)


def test_patterns_take_no_longer_than_their_length_asks_for() -> None:
    began = time.monotonic()
    text = "a" * 60_000
    assert not fits("bash '" + "a*" * 60 + "b'", (Effect("run", "shell:sh", detail=text),))
    assert not fits("file_write '" + "**/a*a*a*/" * 20 + "b'", (Effect("write", "file:" + "aaa/" * 900 + "c"),))
    assert time.monotonic() - began < 60


def test_stars_agree_with_a_slow_and_plain_reading() -> None:
    chance = random.Random(5)

    def slow(pattern: str, text: str) -> bool:
        if not pattern:
            return not text
        if pattern[0] == "*":
            return slow(pattern[1:], text) or (bool(text) and text[0] not in ";'" and slow(pattern, text[1:]))
        if not text:
            return False
        same = pattern[0] == text[0] or (pattern[0] == "?" and text[0] not in ";'")
        return same and slow(pattern[1:], text[1:])

    agreed = 0
    for _ in range(ROUNDS):
        pattern = "".join(chance.choice("ab*?;'") for _ in range(chance.randrange(7)))
        text = "".join(chance.choice("ab;'") for _ in range(chance.randrange(8)))
        found = match(
            Spec("x", "bash", (pattern,)), Call("bash", {}), (Effect("run", "shell:sh", detail=text),), SCENE, 0, 0.0
        )
        assert (found == "") == slow(pattern, text), (pattern, text)
        agreed += found == ""
    print(f"{ROUNDS} patterns, {agreed} fitted")
    assert agreed > ROUNDS / 50


@pytest.mark.parametrize(
    ("grant", "on", "args", "wanted"),
    [
        ("output_pulse pump <=30", "output:pump", {"name": "pump", "seconds": 10, "times": 3}, True),
        ("output_pulse pump <=30", "output:pump", {"name": "pump", "seconds": 10, "times": 4}, False),
        ("output_pulse pump <=30", "output:pump", {"name": "pump", "seconds": 31}, False),
        ("output_pulse pump on", "output:pump", {"name": "pump", "seconds": 1}, True),
        ("output_pulse pump off", "output:pump", {"name": "pump", "seconds": 1}, False),
        ("output_pulse fan", "output:pump", {"name": "pump", "seconds": 1}, False),
        ("output_pwm lamp <=60", "output:lamp", {"name": "lamp", "percent": 40, "for_seconds": 60}, True),
        ("output_pwm lamp <=60", "output:lamp", {"name": "lamp", "level": 0.4, "for_seconds": 61}, False),
        ("output_pwm lamp <=60", "output:lamp", {"name": "lamp", "percent": 40}, False),
        ("output_pwm lamp <=60", "output:lamp", {"name": "lamp", "percent": 0}, True),
        ("gpio_write GPIO22 <=5", "line:GPIO22", {"line": "22", "value": True, "for_seconds": 5}, True),
        ("gpio_write GPIO22 <=5", "line:GPIO22", {"line": "22", "value": True, "for_seconds": 6}, False),
        ("gpio_write GPIO22 <=5", "line:GPIO22", {"line": "22", "value": True}, False),
        ("gpio_write GPIO22 <=5", "line:GPIO22", {"line": "22", "value": False}, True),
        ("gpio_write GPIO22", "line:GPIO23", {"line": "23", "value": False}, False),
        # This one is safe when it is on: what is bounded is how long it is off.
        ("output_set valve <=60", "output:valve", {"name": "valve", "state": False, "for_seconds": 60}, True),
        ("output_set valve <=60", "output:valve", {"name": "valve", "state": False, "for_seconds": 61}, False),
        ("output_set valve <=60", "output:valve", {"name": "valve", "state": False}, False),
        ("output_set valve <=60", "output:valve", {"name": "valve", "state": True}, True),
        ("output_pwm valve <=60", "output:valve", {"name": "valve", "level": 0.3}, False),
        ("output_pwm valve <=60", "output:valve", {"name": "valve", "percent": 100}, True),
        ("output_pulse valve off <=9", "output:valve", {"name": "valve", "seconds": 3, "times": 3}, True),
        ("output_pulse valve off <=8", "output:valve", {"name": "valve", "seconds": 3, "times": 3}, False),
    ],
)
def test_pulses_levels_and_lab_lines_fit_by_name_and_by_all_their_time(
    grant: str, on: str, args: dict[str, Any], wanted: bool
) -> None:
    spec = parse(grant)
    scene = Scene("/w", "", outputs=(Output("valve", "valve", "GPIO5", safe=True),))
    assert (match(spec, Call(grant.split()[0], args, "c1"), (Effect("actuate", on),), scene, 0, 0.0) == "") is wanted
