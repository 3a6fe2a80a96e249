"""Shell text at the gate: its verdicts in each level, and what its child gets."""

from __future__ import annotations

import pytest

from edge.call import Call, Decision, Effect, Grant, Output, Root, Scene
from edge.gate.decide import decide
from edge.gate.paths import READABLE
from edge.gate.policy import PRESETS, Policy, State
from edge.gate.shell import read

SCENE = Scene(
    "/home/pi/w",
    "/home/pi",
    (Root("work", "/home/pi/w"), Root("data", "/data")),
    outputs=(Output("fan", "fan", "relay 1"),),
    state="/home/pi/.local/state/fieldhand",
    own=("/home/pi/key",),
    settings=("/etc/fieldhand", "/home/pi/w/c.toml"),
)
READS = {Grant("read", root, ".", True) for root in ("work", "data")} | {
    Grant("read", "system", place[1:], True) for place in READABLE
}
WRITES = {Grant("write", root, ".", True) for root in ("work", "data")}
INET = Grant("call", "socket", "inet")


def judge(text: str, policy: Policy | None = None, state: State | None = None) -> Decision:
    effects = (Effect("run", "shell:sh", detail=text),)
    return decide(Call("bash", {"command": text}, "c1"), effects, policy or Policy(), state or State(), SCENE)


def grants(text: str, policy: Policy | None = None) -> set[Grant]:
    permit = judge(text, policy).permit
    assert permit is not None, judge(text, policy).sentence
    return set(permit.grants)


# text -> verdict in readonly, supervised, guarded, full
TABLE = [
    ("ls -l", "deny allow allow allow"),
    ("cat notes.txt | grep -n foo", "deny allow allow allow"),
    ("cat /srv/data.csv", "deny deny ask allow"),
    ("cat /etc/shadow", "deny deny ask allow"),
    ("cat .env", "deny deny ask allow"),
    ("rm build/tmp.o", "deny ask ask allow"),
    ("echo x > notes.txt", "deny ask ask allow"),
    ("echo x > /srv/x", "deny deny deny deny"),
    ("echo x > /etc/x", "deny deny deny deny"),
    ("echo x > c.toml", "deny deny deny deny"),
    ("python3 tool.py", "deny deny ask allow"),
    ("no-such-program-here", "deny deny ask allow"),
    ("reboot", "deny deny deny ask"),
    ("curl -s https://example.org/", "deny ask ask allow"),
    ("curl -s http://192.168.8.30/status.json", "deny deny ask ask"),
    ("curl -s http://169.254.169.254/latest", "deny deny ask ask"),
    ("curl -s -d x=1 https://example.org/", "deny deny ask allow"),
    ("echo 1 > /sys/class/gpio/gpio17/value", "deny deny deny deny"),
    ("cat /home/pi/key", "deny deny deny deny"),
]


@pytest.mark.parametrize(("text", "verdicts"), TABLE, ids=[row[0] for row in TABLE])
def test_shell_text_is_judged_by_what_it_does(text: str, verdicts: str) -> None:
    assert [judge(text, Policy(preset)).verdict for preset in PRESETS] == verdicts.split()


@pytest.mark.parametrize("text", ["ls", "true", "", "rm -rf /", "$(", "\0", "x" * 100_000])
def test_readonly_has_no_shell_whatever_the_text(text: str) -> None:
    found = judge(text, Policy("readonly", ask_for=("high", "ruin", "disk")))
    assert (found.verdict, found.rule) == ("deny", "shell.readonly-mode") and len(found.sentence) < 200
    alone = judge(text, Policy("full", unattended="readonly"), State(unattended=True))
    assert alone.rule == "shell.readonly-mode"


def test_a_text_that_only_reads_may_read_roots_and_readable_places_and_what_its_programs_need() -> None:
    text = "ls -l; cat notes.txt"
    assert grants(text) >= {Grant("run", "shell", "sh"), *READS, *read(text, SCENE).needs}
    assert not any(grant.verb in ("write", "send", "fetch") for grant in grants(text))
    assert INET not in grants(text)


def test_what_a_program_needs_beyond_goes_to_a_text_that_only_reads_and_to_no_other() -> None:
    text = "lsusb; ip -s link show eth0; dmesg"
    needs = set(read(text, SCENE).needs)
    assert needs and grants(text) >= needs
    assert not needs & grants(text + "; python3 x.py")
    assert not needs & grants(text + "; rm a")


def test_a_text_that_does_more_may_write_in_every_root_and_gets_no_socket() -> None:
    found = grants("pump-ctl status")
    assert found == {Grant("run", "shell", "sh"), *READS, *WRITES}


def test_a_socket_goes_with_the_network_that_was_found_and_with_nothing_else() -> None:
    assert INET in grants("curl -s https://example.org/ > page.html")
    assert INET in grants("curl -s http://192.168.8.30/")
    assert INET not in grants("python3 -c 'import socket'")


def test_a_file_that_was_asked_about_is_granted_by_itself() -> None:
    found = grants("cat /srv/data.csv")
    assert Grant("read", "system", "srv/data.csv") in found and not WRITES & found


def test_state_keys_settings_and_forbidden_paths_stay_closed_below() -> None:
    for text in ("ls", "python3 x.py"):
        permit = judge(text, Policy(forbidden_paths=("/data/private",))).permit
        assert permit is not None
        assert {SCENE.state, *SCENE.own, *SCENE.settings, "/data/private"} == set(permit.barred)


def test_forbidden_paths_hold_for_shell_text_too() -> None:
    policy = Policy("full", forbidden_paths=("/data/private", "/etc/pump"))
    for text in ("cat /data/private/a", "cat /etc/pump/x", "cd /data && cat private/a", "rm -r /data/private"):
        assert judge(text, policy).verdict == "deny", text


def test_the_wall_is_what_the_policy_wants() -> None:
    def wall(policy: Policy, state: State) -> str:
        permit = judge("ls", policy, state).permit
        assert permit is not None
        return permit.wall

    assert wall(Policy(), State()) == "prefer" and wall(Policy(sandbox="off"), State()) == "off"
    assert wall(Policy("full", sandbox="off"), State(unattended=True)) == "require"


def test_more_than_fifty_commands_are_looked_at_by_somebody_even_in_full() -> None:
    text = "; ".join(["true"] * 51)
    for preset in ("supervised", "guarded", "full"):
        found = judge(text, Policy(preset, auto_approve=("bash",)))
        assert (found.verdict, found.rule) == ("ask", "shell.many") and "51 commands" in found.sentence
    assert judge("; ".join(["true"] * 50)).verdict == "allow"
    assert not WRITES & grants(text)
    assert judge(text + "; reboot").verdict == "deny"  # a cap never skips a rule that denies


def test_programs_that_the_operator_declares_harmless_ask_where_unknown_ones_are_blocked() -> None:
    assert judge("pump-ctl status", Policy("supervised")).rule == "shell.unknown"
    policy = Policy("supervised", programs=("pump-ctl",))
    found = judge("pump-ctl status", policy)
    assert (found.verdict, found.rule, found.risk) == ("ask", "shell.listed", "medium")
    assert judge("other-ctl status", policy).verdict == "deny"
    assert judge("pump-ctl status; other-ctl", policy).verdict == "deny"


def test_known_destruction_asks_in_supervised_and_full_where_named_and_never_in_guarded() -> None:
    named = ("ruin",)
    said = [judge("reboot", Policy(preset, ask_for=named)).verdict for preset in PRESETS]
    assert said == ["deny", "ask", "deny", "ask"]


def test_flash_and_firmware_of_boards_ask_in_full_alone_and_only_where_named() -> None:
    text = "flash_erase /dev/mtd0 0 0"
    assert [judge(text, Policy(preset)).verdict for preset in PRESETS] == ["deny"] * 4
    everything = ("high", "ruin", "disk")
    for preset in PRESETS[:3]:
        assert judge(text, Policy(preset, ask_for=everything)).verdict == "deny"


def test_after_untrusted_words_a_command_that_does_more_than_read_asks_even_in_full() -> None:
    tainted = State(tainted="https://example.org/")
    assert judge("ls -l", Policy("full"), tainted).verdict == "allow"
    for text in ("python3 x.py", "rm a", "echo x > a", "curl -s https://example.org/"):
        assert judge(text, Policy("full")).verdict == "allow"
        found = judge(text, Policy("full"), tainted)
        assert (found.verdict, found.rule) == ("ask", "taint.shell") and "https://example.org/" in found.sentence


def test_who_is_asked_is_told_what_will_not_work_behind_the_wall() -> None:
    found = judge("sudo systemctl restart pump-logger")
    remarks = read("sudo systemctl restart pump-logger", SCENE).remarks
    assert found.verdict == "ask" and remarks and all(remark in found.sentence for remark in remarks[:4])


def test_who_is_asked_is_told_all_that_is_asked_about() -> None:
    found = judge("cat .env /srv/a > out; python3 x.py")
    for said in ("/home/pi/w/.env, which may hold keys", "reads /srv/a", "writes /home/pi/w/out", "python3"):
        assert said in found.sentence
    many = judge("; ".join(f"rm f{number}" for number in range(9)))
    assert "and 4 things more" in many.sentence and len(many.sentence) < 400


def test_a_stopped_network_stops_commands_that_would_use_it() -> None:
    stopped = State(stopped="network")
    assert judge("curl -s https://example.org/", Policy("full"), stopped).rule == "stop.network"
    assert judge("ls", Policy(), stopped).verdict == "allow"


def test_without_a_tape_what_only_reads_still_runs() -> None:
    bare = State(durable=False)
    assert judge("cat notes.txt", Policy(), bare).verdict == "allow"
    assert judge("rm a", Policy("full"), bare).rule == "tape.none"
    assert judge("python3 x.py", Policy("full"), bare).rule == "tape.none"
