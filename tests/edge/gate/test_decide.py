"""One decision per call: the authority table, the worst effect, the permit, and what has no rule."""

from __future__ import annotations

import pytest

from edge.call import Call, Effect, Grant, Output, Root, Scene, Sensor
from edge.gate.decide import decide
from edge.gate.policy import PRESETS, Policy, State

SCENE = Scene(
    "/home/pi/garden",
    "/home/pi",
    (Root("work", "/home/pi/garden"),),
    (Sensor("temperature", "air", "C", "sim"),),
    (
        Output("fan", "exhaust fan", "relay 1"),
        Output("lamp", "lamp", "relay 3", risk="low"),
        Output("heater", "heater", "relay 4", risk="high"),
    ),
    "/home/pi/.local/state/fieldhand",
    own=("/home/pi/garden/key",),
    settings=("/home/pi/garden/c.toml", "/etc/fieldhand"),
)


def verdict(effect: Effect, preset: str = "guarded", state: State | None = None) -> tuple[str, str]:
    found = decide(Call("x", {}, "c1"), (effect,), Policy(preset), state or State(), SCENE)
    return found.verdict, found.rule


# effect -> verdict in readonly, supervised, guarded, full
TABLE = [
    (Effect("sense", "sensor:temperature"), "allow allow allow allow"),
    (Effect("sense", "sensor:nothing"), "deny deny deny deny"),
    (Effect("list", "sensor:all"), "allow allow allow allow"),
    (Effect("list", "output:all"), "allow allow allow allow"),
    (Effect("actuate", "output:lamp"), "deny allow allow allow"),
    (Effect("actuate", "output:fan"), "deny ask ask allow"),
    (Effect("actuate", "output:heater"), "deny deny ask allow"),
    (Effect("actuate", "output:siren"), "deny deny deny deny"),
    (Effect("read", "file:notes.txt"), "allow allow allow allow"),
    (Effect("read", "file:/etc/hostname"), "allow allow allow allow"),
    (Effect("read", "file:/srv/data.csv"), "deny deny ask allow"),
    (Effect("read", "file:/home/pi/elsewhere"), "deny deny ask allow"),
    (Effect("read", "file:.env"), "deny deny ask allow"),
    (Effect("read", "file:/etc/shadow"), "deny deny ask allow"),
    (Effect("read", "file:/proc/self/environ"), "deny deny ask allow"),
    (Effect("read", "file:/home/pi/.local/state/fieldhand/tapes/x.jsonl"), "deny deny deny deny"),
    (Effect("write", "file:notes.txt"), "deny ask ask allow"),
    (Effect("write", "file:sub/.env"), "deny deny deny deny"),
    (Effect("write", "file:/etc/passwd"), "deny deny deny deny"),
    (Effect("write", "file:/srv/x"), "deny deny deny deny"),
    (Effect("write", "file:../other/x"), "deny deny deny deny"),
    (Effect("write", "file:/home/pi/.local/state/fieldhand/x"), "deny deny deny deny"),
    (Effect("read", "file:key"), "deny deny deny deny"),
    (Effect("write", "file:key"), "deny deny deny deny"),
    (Effect("read", "file:c.toml"), "allow allow allow allow"),
    (Effect("write", "file:c.toml"), "deny deny deny deny"),
    (Effect("write", "file:/etc/fieldhand/config.toml"), "deny deny deny deny"),
    (Effect("read", "file:.git/config"), "deny deny ask allow"),
    (Effect("read", "file:.git/HEAD"), "allow allow allow allow"),
    (Effect("write", "file:.git/hooks/pre-commit"), "deny deny deny deny"),
    (Effect("write", "file:.git/description"), "deny deny ask allow"),
    (Effect("write", "file:.bashrc"), "deny deny ask allow"),
    (Effect("read", "file:a\nb"), "deny deny deny deny"),
    (Effect("write", "file:a\u202eb"), "deny deny deny deny"),
    (Effect("read", "memory:tape"), "allow allow allow allow"),
    (Effect("unknown", "anything"), "deny deny deny deny"),
    (Effect("run", "program:sh"), "deny deny deny deny"),
    (Effect("fetch", "host:example.org:443"), "deny deny deny deny"),
    (Effect("list", "file:/dev"), "allow allow allow allow"),
    (Effect("read", "file:/dev/gpiochip0"), "deny deny ask ask"),
    (Effect("write", "file:/dev/ttyAMA0"), "deny deny deny deny"),
    (Effect("write", "file:/sys/class/leds/led0/brightness"), "deny deny deny deny"),
    (Effect("write", "file:/proc/sys/vm/drop_caches"), "deny deny deny deny"),
    (Effect("read", "file:/sys/class/thermal/thermal_zone0/temp"), "allow allow allow allow"),
    (Effect("fetch", "url:https://example.org/x", detail="GET"), "deny ask ask allow"),
    (Effect("fetch", "url:https://example.org/x", detail="HEAD"), "deny ask ask allow"),
    (Effect("fetch", "url:https://example.org/x", detail="POST"), "deny deny ask allow"),
    (Effect("send", "url:https://example.org/x", detail="POST"), "deny deny ask allow"),
    (Effect("fetch", "url:http://127.0.0.1/"), "deny deny deny deny"),
    (Effect("send", "url:http://router.lan/"), "deny deny deny deny"),
    (Effect("fetch", "url:ftp://example.org/"), "deny deny deny deny"),
    (Effect("call", "mcp:srv/tool"), "deny deny deny deny"),
]


@pytest.mark.parametrize(("effect", "verdicts"), TABLE, ids=lambda value: value if isinstance(value, str) else value.on)
def test_the_authority_table(effect: Effect, verdicts: str) -> None:
    assert [verdict(effect, preset)[0] for preset in PRESETS] == verdicts.split()


def test_readonly_switches_neither_on_nor_off() -> None:
    for detail in ("on", "off"):
        assert verdict(Effect("actuate", "output:lamp", detail=detail), "readonly")[0] == "deny"


def test_the_worst_effect_decides_and_names_the_rule() -> None:
    effects = (Effect("read", "file:a"), Effect("actuate", "output:fan"), Effect("sense", "sensor:temperature"))
    found = decide(Call("x", {}, "c1"), effects, Policy(), State(), SCENE)
    assert (found.verdict, found.rule) == ("ask", "output.medium")


def test_a_denied_effect_beats_one_that_asks_whatever_the_order() -> None:
    pair = (Effect("actuate", "output:fan"), Effect("write", "file:/etc/x"))
    for effects in (pair, pair[::-1]):
        found = decide(Call("x", {}, "c1"), effects, Policy(), State(), SCENE)
        assert (found.verdict, found.rule, found.permit) == ("deny", "write.system", None)


def test_the_permit_holds_the_normalised_effects_and_nothing_else() -> None:
    effects = (Effect("read", "file:./sub/../notes.txt"), Effect("sense", "sensor:temperature"))
    found = decide(Call("x", {}, "c7"), effects, Policy(seconds=5, bytes=99), State(), SCENE)
    assert found.permit is not None
    assert found.permit.call == "c7" and found.permit.seconds == 5 and found.permit.bytes == 99
    assert found.permit.grants == (Grant("read", "work", "notes.txt"), Grant("sense", "sensor", "temperature"))


def test_a_call_without_effects_is_denied() -> None:
    found = decide(Call("x", {}, "c1"), (), Policy("full"), State(), SCENE)
    assert (found.verdict, found.rule) == ("deny", "default.no-effects")


def test_a_used_up_budget_of_calls_denies_and_zero_forbids_all() -> None:
    read = (Effect("sense", "sensor:temperature"),)
    for used, allowed in ((120, 120), (0, 0)):
        found = decide(
            Call("x", {}, "c1"), read, Policy("full", calls_per_hour=allowed), State(True, True, used), SCENE
        )
        assert (found.verdict, found.rule) == ("deny", "budget.calls")
    assert decide(Call("x", {}, "c1"), read, Policy(), State(True, True, 119), SCENE).verdict == "allow"


def test_without_a_tape_only_reads_and_the_simulated_board_go_on() -> None:
    bare = State(durable=False, simulated=True)
    assert verdict(Effect("actuate", "output:fan"), "full", bare)[0] == "allow"
    assert verdict(Effect("write", "file:notes.txt"), "full", bare) == ("deny", "tape.none")
    assert verdict(Effect("read", "file:notes.txt"), "full", bare)[0] == "allow"
    real = State(durable=False, simulated=False)
    assert verdict(Effect("actuate", "output:fan"), "full", real) == ("deny", "tape.none")


def test_an_odd_path_is_denied_by_a_sentence_that_shows_it_escaped() -> None:
    found = decide(Call("x", {}, "c1"), (Effect("read", "file:a\x1b[2J\u202eb"),), Policy("full"), State(), SCENE)
    assert found.rule == "path.odd" and r"'a\x1b[2J\u202eb'" in found.sentence and found.sentence.isprintable()


def test_a_path_that_needs_a_lost_folder_is_denied_in_a_sentence() -> None:
    found = decide(Call("x", {}, "c1"), (Effect("read", "file:x"),), Policy("full"), State(), Scene("", ""))
    assert found.rule == "path.adrift" and "absolute path" in found.sentence


def test_the_sentence_of_a_write_outside_names_roots() -> None:
    found = decide(Call("x", {}, "c1"), (Effect("write", "file:/srv/x"),), Policy(), State(), SCENE)
    assert "roots" in found.sentence and "/srv/x" in found.sentence


def test_what_the_board_does_not_declare_is_denied_beside_what_it_declares() -> None:
    told = decide(Call("sensor_read", {}), (Effect("sense", "sensor:temprature"),), Policy(), State(), SCENE).sentence
    assert told.startswith("the board declares no sensor 'temprature'; it has ")
    assert all(sensor.name in told for sensor in SCENE.sensors)


def test_a_list_that_denies_names_its_profile_and_a_stop_what_lifts_it() -> None:
    look = (Effect("list", "sensor:all"),)
    policy = Policy(profile="shed", allowed_tools=("file_read",))
    denied = decide(Call("sensor_list", {}), look, policy, State(), SCENE)
    assert denied.sentence == "sensor_list is not in allowed_tools of the risk profile shed"
    stopped = decide(Call("sensor_list", {}), look, Policy(), State(stopped="tool:sensor_list"), SCENE)
    assert stopped.sentence == "the operator has stopped the tool sensor_list; `fieldhand resume` ends that"


def test_an_internal_host_is_refused_with_what_would_list_it() -> None:
    effect = Effect("fetch", "url:http://127.0.0.1:8080/", detail="GET")
    told = decide(Call("http_request", {}), (effect,), Policy(), State(), SCENE).sentence
    assert '[risk_profiles.NAME] internal_hosts = ["HOST:PORT"]' in told and "--profile NAME" in told
