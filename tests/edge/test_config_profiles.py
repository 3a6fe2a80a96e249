"""Risk profiles in the settings file: every key, every contradiction with file, line and key, every warning."""

from __future__ import annotations

import datetime
import os
import random
import textwrap
from pathlib import Path
from typing import Any

import pytest

from edge.cli import settle
from edge.cli.args import Options
from edge.config import _budget, load
from edge.config_keys import CHECKS
from edge.config_profiles import read
from edge.faults import ConfigFault
from edge.gate.policy import Policy


def write(folder: Path, text: str) -> str:
    path = folder / "config.toml"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return str(path)


def made(folder: Path, text: str, **options: str) -> Policy:
    settings = settle.settings(Options(config=write(folder, text), **options), {})  # type: ignore[arg-type]
    return settle.policy(settings)


def test_every_key_of_a_profile_arrives_in_the_policy(tmp_path: Path) -> None:
    (tmp_path / "garden").mkdir()
    text = f"""\
    profile = "yard"
    [tools]
    block_internal_http = false
    [risk_profiles.other]
    level = "full"
    [risk_profiles.yard]
    level = "unrestricted"
    allowed_tools = ["Shell", "fs.read", "http_request"]
    excluded_tools = ["srv__tool", "bash"]
    always_ask = ["web.fetch"]
    auto_approve = ["file_write"]
    ask_for = ["disk", "shell.disk"]
    roots = ["{tmp_path}/garden"]
    forbidden_paths = ["/etc/pump/", "/srv/../opt/keys"]
    hosts = ["Example.org", "*.example.net:8443"]
    internal_hosts = ["127.0.0.1:8080", "llm.example.org"]
    programs = ["pump-ctl", "/usr/local/bin/level"]
    sandbox = "Require"
    unattended = "read_only"
    [risk_profiles.yard.budgets]
    tool_calls_per_hour = 7
    tool_seconds = 3
    steps = 2
    """
    found = made(tmp_path, text)
    assert found == Policy(
        "full",
        7,
        3.0,
        profile="yard",
        allowed_tools=("bash", "file_read", "http_request"),
        excluded_tools=("srv__tool", "bash"),
        always_ask=("web_fetch",),
        auto_approve=("file_write",),
        ask_for=("disk", "shell.disk"),
        roots=(f"{tmp_path}/garden",),
        forbidden_paths=("/etc/pump", "/opt/keys"),
        hosts=("example.org", "*.example.net:8443"),
        internal_hosts=("127.0.0.1:8080", "llm.example.org"),
        block_internal=False,
        programs=("pump-ctl", "/usr/local/bin/level"),
        sandbox="require",
        unattended="readonly",
    )
    settings = settle.settings(Options(config=str(tmp_path / "config.toml")), {})
    assert settings.budgets.steps == 2 and settings.roots == (f"{tmp_path}/garden",)
    assert settings.warnings == (
        "risk profile yard: bash is in allowed_tools and in excluded_tools: it is there at the command line only",
    )


def test_without_a_level_a_profile_is_supervised_and_without_a_profile_a_run_is_guarded(tmp_path: Path) -> None:
    text = "[risk_profiles.a]\nalways_ask = ['output_set']\n"
    assert made(tmp_path, text) == Policy()
    assert made(tmp_path, text, profile="a").preset == "supervised"
    assert made(tmp_path, "profile = 'a'\n" + text) == Policy("supervised", profile="a", always_ask=("output_set",))


def test_mode_at_the_command_line_sets_the_level_and_leaves_the_rest_of_the_profile(tmp_path: Path) -> None:
    text = "profile = 'a'\n[risk_profiles.a]\nlevel = 'readonly'\nexcluded_tools = ['bash']\n"
    found = made(tmp_path, text, mode="full")
    assert (found.preset, found.excluded_tools) == ("full", ("bash",))


def test_the_profile_of_the_command_line_goes_before_that_of_the_file(tmp_path: Path) -> None:
    text = "profile = 'a'\n[risk_profiles.a]\nlevel = 'full'\n[risk_profiles.b]\nlevel = 'readonly'\n"
    assert made(tmp_path, text).preset == "full" and made(tmp_path, text, profile="b").preset == "readonly"


def test_the_level_of_a_profile_goes_before_a_mode_in_the_file_and_a_warning_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, "mode = 'full'\nprofile = 'a'\n[risk_profiles.a]\n")
    found = settle.settings(Options(config=path), {})
    assert found.preset == "supervised" and "mode is not used" in found.warnings[0]


def test_a_link_in_forbidden_paths_closes_both_ends(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    found = made(tmp_path, f"profile = 'a'\n[risk_profiles.a]\nforbidden_paths = ['{tmp_path}/link']\n")
    assert found.forbidden_paths == (f"{tmp_path}/link", f"{tmp_path}/real")


FAULTS = [
    ("deny_all_tools = true\nallowed_tools = ['bash']", "deny_all_tools", 2, "keep one of them"),
    ("always_ask = ['shell']\nauto_approve = ['bash']", "auto_approve", 3, "always and never"),
    ("level = 'full'\nsandbox = 'off'\nunattended = 'full'", "sandbox", 3, "needs it"),
    ("excluded_tools = ['bsh']", "excluded_tools", 2, "did you mean bash"),
    ("always_ask = ['outputset']", "always_ask", 2, "did you mean output_set"),
    ("always_ask = ['nonsense']", "always_ask", 2, "SERVER__TOOL"),
    ("ask_for = ['hihg']", "ask_for", 2, "did you mean high"),
    ("ask_for = ['write.system']", "ask_for", 2, "which nothing asks for"),
    ("roots = ['/etc']", "roots", 2, "folder of the system"),
    ("roots = ['/nowhere/at/all']", "roots", 2, "that exist"),
    ("forbidden_paths = ['relative']", "forbidden_paths", 2, "absolute path"),
    ("forbidden_paths = ['']", "forbidden_paths", 2, "one is empty"),
    ("hosts = ['10.0.0.1']", "hosts", 2, "internal_hosts"),
    ("hosts = ['http://x.org']", "hosts", 2, "without http"),
    ("internal_hosts = ['*.lan']", "internal_hosts", 2, "wildcard"),
    ("programs = ['pump ctl']", "programs", 2, "one plain word"),
    ("programs = ['$(x)']", "programs", 2, "one plain word"),
    ("sandbox = 'maybe'", "sandbox", 2, "require or prefer or off"),
    ("level = 'boss'", "level", 2, "modes: readonly"),
    ("unattended = 'boss'", "unattended", 2, "modes: readonly"),
    ("allowed_tools = 'bash'", "allowed_tools", 2, "list of texts"),
    ("allowed_tools = [1]", "allowed_tools", 2, "must be a text"),
    ("deny_all_tools = 'yes'", "deny_all_tools", 2, "true or false"),
    ("lvel = 'full'", "lvel", 2, "did you mean level"),
    ("tools_deny = ['bash']", "tools_deny", 2, "has no key tools_deny"),
    ("[risk_profiles.a.budgets]\nstep = 3", "budgets.step", 3, "did you mean steps"),
    ("[risk_profiles.a.budgets]\nsteps = 0", "budgets.steps", 3, "from 1"),
    ("budgets = 3", "budgets", 2, "budgets is a table"),
    ("budgets = { steps = 0 }", "budgets.steps", 2, "from 1"),
]


@pytest.mark.parametrize(("text", "key", "line", "why"), FAULTS, ids=[row[0][:40] for row in FAULTS])
def test_what_is_wrong_names_file_line_and_key(text: str, key: str, line: int, why: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"[risk_profiles.a]\n{text}\n")
    with pytest.raises(ConfigFault) as caught:
        load(path)
    assert caught.value.where == f"{path}:{line}" and caught.value.key == f"risk_profiles.a.{key}"
    assert why in str(caught.value) and "\n" not in str(caught.value)


def test_a_forbidden_path_that_closes_a_root_of_its_profile_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    path = write(tmp_path, f"[risk_profiles.a]\nroots = ['{tmp_path}/w']\nforbidden_paths = ['{tmp_path}']\n")
    with pytest.raises(ConfigFault, match="closes") as caught:
        load(path)
    assert caught.value.where == f"{path}:3"


@pytest.mark.parametrize("text", ["profile = 'yrd'\n[risk_profiles.yard]\n", "profile = 'yrd'\n"])
def test_a_profile_that_does_not_exist_is_a_fault(text: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigFault, match="no risk profile 'yrd'") as caught:
        load(path)
    assert (caught.value.where, caught.value.key) == (f"{path}:1", "profile")
    assert ("did you mean yard" in str(caught.value)) == ("yard" in text)
    with pytest.raises(ConfigFault, match="no risk profile 'x'"):
        settle.settings(Options(profile="x"), {})


def test_risk_profiles_that_are_no_tables_are_faults(tmp_path: Path) -> None:
    for text in ("risk_profiles = 1\n", "[risk_profiles]\na = 1\n"):
        with pytest.raises(ConfigFault, match="is a table"):
            load(write(tmp_path, text))


WARNINGS = [
    ("allowed_tools = []", "is no constraint"),
    ("allowed_tools = ['bash', 'no_such']", "no such tool"),
    ("auto_approve = ['fle_read']", "did you mean file_read"),
    ("level = 'guarded'\nunattended = 'full'", "can only lower"),
    ("level = 'guarded'\nask_for = ['ruin']", "it is for supervised"),
    ("level = 'full'\nask_for = ['read.secret']", "it is for supervised"),
    ("level = 'supervised'\nask_for = ['disk']", "it is for full"),
]


@pytest.mark.parametrize(("text", "why"), WARNINGS, ids=[row[0][:40] for row in WARNINGS])
def test_what_changes_less_than_it_seems_to_is_said(text: str, why: str, tmp_path: Path) -> None:
    found = load(write(tmp_path, f"[risk_profiles.a]\n{text}\n")).warnings
    assert len(found) == 1 and why in found[0]


def test_empty_lists_stay_empty_and_nothing_is_warned_of(tmp_path: Path) -> None:
    text = "profile = 'a'\n[risk_profiles.a]\nauto_approve = []\nalways_ask = []\nexcluded_tools = []\n"
    assert made(tmp_path, text) == Policy("supervised", profile="a")
    assert load(str(tmp_path / "config.toml")).warnings == ()


def test_confine_writes_cannot_be_switched_off_and_says_so(tmp_path: Path) -> None:
    assert load(write(tmp_path, "[tools]\nconfine_writes = true\n")).warnings == ()
    found = load(write(tmp_path, "mode = 'full'\n[tools]\nconfine_writes = false\n"))
    assert "never granted" in found.warnings[0]


def test_names_of_mcp_tools_and_of_later_tools_load(tmp_path: Path) -> None:
    text = "profile='a'\n[risk_profiles.a]\nexcluded_tools = ['any_srv__any_tool', 'i2c_write', 'content_search']\n"
    assert made(tmp_path, text).excluded_tools == ("any_srv__any_tool", "i2c_write", "grep")


def test_everyday_and_full_toml_say_the_same(tmp_path: Path) -> None:
    plain = "[risk_profiles.a]\nlevel = 'full'\nhosts = ['x.org']\n"
    other = "risk_profiles.a = {level = 'full', hosts = ['x.org']}\n"
    first, second = (load(write(tmp_path, text)).profiles[0] for text in (plain, other))
    assert (first.level, first.hosts) == (second.level, second.hosts) == ("full", ("x.org",))


KEYS = (
    *("level", "allowed_tools", "excluded_tools", "deny_all_tools", "always_ask", "auto_approve", "ask_for", "roots"),
    *("forbidden_paths", "hosts", "internal_hosts", "programs", "sandbox", "unattended", "budgets", "lists"),
)
VALUES: tuple[Any, ...] = (
    *(
        "",
        "full",
        "readonly",
        "bash",
        "a__b",
        "/etc",
        "/",
        "~",
        "~nobody-here",
        "*.org",
        "[",
        "[::",
        "x" * 2000,
        "a\0b",
    ),
    *("\u202e", "\ud800", "high", "off", "example.org:80", ":", "::1", "http://", "*", "%zz", 0, -1, 10**30, 1.5),
    *(float("nan"), float("inf"), True, False, datetime.date(2026, 1, 1), datetime.time(1), {}, {"a": 1}, {"steps": 3}),
)


def test_whatever_stands_in_a_profile_is_a_profile_or_a_fault_that_names_its_key() -> None:
    rounds = 20_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 2_000
    chance = random.Random(3)
    loaded = 0
    for _ in range(rounds):
        table: dict[str, Any] = {}
        for key in chance.sample(KEYS, chance.randrange(1, 5)):
            some = [chance.choice(VALUES) for _ in range(chance.randrange(3))]
            table[key] = some if chance.random() < 0.6 else chance.choice(VALUES)
        try:
            found, _ = read({"x": table}, {}, "c.toml", CHECKS, _budget)
        except ConfigFault as fault:
            assert fault.key.startswith("risk_profiles.x") and str(fault).startswith("c.toml: "), table
            assert len(str(fault)) < 500
        else:
            loaded += 1
            assert found[0].name == "x"
    print(f"{rounds} profiles, {loaded} loaded")
    assert loaded > rounds / 100
