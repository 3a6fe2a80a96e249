"""Which tools a run has and which of them a model is told of: read off the requests that it makes of its model."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from edge.call import Scene
from edge.catalogue import ALWAYS, BOARD, FINDERS, MINIMAL, Catalogue, lacking
from edge.cli import settle
from edge.cli.stock import catalogue
from edge.config import load
from edge.gate.names import canonical
from edge.peripherals.sim.declare import OUTPUTS, SENSORS
from edge.record import replace
from edge.registry import TOOLS, every, find
from tests.support import agent
from tests.support.chatserver import ChatServer
from tests.support.distribution import installed, tool
from tests.support.sources import ROOT, python_files

HERE = Scene("/", "", (), SENSORS, OUTPUTS)
EVERYTHING = set(TOOLS) - set(FINDERS) - set(lacking(HERE))  # what a model is shown where nothing is put off
LEAST = {*MINIMAL, *BOARD} & set(TOOLS)


def written(home: Path, text: str) -> str:
    (home / "w").mkdir(exist_ok=True)
    (home / "w" / "note").write_text("the pump\n")
    (home / "c.toml").write_text(text)
    return str(home / "c.toml")


def environment(home: Path, **more: str) -> dict[str, str]:
    """With all that tools need beside Fieldhand: to be offered a tool, it is enough that the name of it is there."""
    (home / "lib" / "dulwich").mkdir(parents=True, exist_ok=True)
    (home / "lib" / "dulwich" / "__init__.py").touch()
    return agent.environment(home, PYTHONPATH=str(home / "lib"), **more)


def chosen(home: Path, text: str) -> set[str]:
    """All tools of a run with these settings; each is there once."""
    settings = load(written(home, text))
    found, _ = catalogue(settings.tools, settle.policy(settings), HERE, False)
    absent = [name for name in found.absent if name not in lacking(HERE)]
    names = [tool.name for tool in (*found.tools, *(find(name) for name in absent))]
    assert len(set(names)) == len(names)
    return set(names) - set(FINDERS)


def call(tool: str, **args: Any) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(args)}
    one = {"id": "x", "type": "function", "function": function}
    return {"reply": {"role": "assistant", "content": None, "tool_calls": [one]}}


def step(tool: str, **args: Any) -> dict[str, Any]:
    return {"reply": json.dumps({"thought": "t", "action": tool, "action_input": args})}


DONE = {"reply": "done"}
FINAL = {"reply": json.dumps({"thought": "t", "action": "final", "action_input": "done"})}


class Ran:
    """One goal with a scripted server: what was asked of it, and what became of the calls."""

    def __init__(self, home: Path, settings: str, *replies: dict[str, Any], words: tuple[str, ...] = ()) -> None:
        text = f"roots = ['{home}/w']\n{settings}"
        with ChatServer(list(replies)) as server:
            told = ("--model", "chat:small", "--base-url", server.base_url, "--config", written(home, text))
            self.done = agent.run(*told, *words, "-e", "go", env=environment(home, PYTHONPROFILEIMPORTTIME="1"))
        assert self.done.returncode in (0, 6), self.done.stderr[-3000:]
        self.bodies = [json.loads(request["body"]) for request in server.requests]
        rows = agent.records(agent.tapes(home)[-1])
        self.outcomes = [row for row in rows if row["kind"] == "outcome"]
        self.repairs = [row["sentence"] for row in rows if row["kind"] == "repair"]

    def shown(self, number: int = 0) -> dict[str, Any]:
        """Name -> function, as a request has them."""
        functions = [tool["function"] for tool in self.bodies[number]["tools"]]
        assert len({one["name"] for one in functions}) == len(functions)
        return {one["name"]: one for one in functions}

    def told(self, number: int = 0) -> str:
        return json.dumps(self.bodies[number])

    def imported(self, tool: str) -> bool:
        return f" edge.tools.{tool}\n" in self.done.stderr


# --- selection ---


@pytest.mark.parametrize("text", ["", "[tools]\n", "[tools]\nlocale = 'en'\n", "[tools]\noptional = ['*']\n"])
def test_it_is_full_unless_something_else_is_chosen(text: str, tmp_path: Path) -> None:
    assert chosen(tmp_path, text) == EVERYTHING


def test_a_choice_is_kept_an_empty_one_is_the_minimal_set_and_names_are_added_to_it(tmp_path: Path) -> None:
    for optional, more in (
        ([], set()),
        (["calculator"], {"calculator"}),
        (["Calculator", "calculator", "log.read", "shell"], {"calculator", "log_read"}),
    ):
        text = f"[tools]\noptional = {json.dumps(optional)}\n"
        assert chosen(tmp_path, text) == LEAST | more
        assert load(written(tmp_path, text)).tools.optional == tuple(optional)
    for optional in (["*", "calculator"], ["calculator", "*"], ["*", "*"]):
        assert chosen(tmp_path, f"[tools]\noptional = {json.dumps(optional)}\n") == EVERYTHING


def test_what_is_not_chosen_is_neither_imported_nor_told_to_the_model(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "[tools]\noptional = []\n", DONE)
    assert set(ran.shown()) == LEAST
    for name in EVERYTHING - LEAST:
        assert not ran.imported(name) and f'"{name}"' not in ran.told(), name
    assert "calculator" not in ran.told() and "outline" not in ran.told()
    assert all(ran.imported(name) for name in LEAST)
    full = Ran(tmp_path, "", DONE)
    assert set(full.shown()) == EVERYTHING and full.imported("calculator")


def test_the_minimal_set_of_a_talk_is_the_eleven_tools_of_the_page(tmp_path: Path) -> None:
    page = (
        *("shell", "file_read", "file_write", "file_edit", "glob_search", "content_search", "memory_recall"),
        *("memory_store", "memory_forget", "web_fetch", "git_operations"),
    )
    shown = Ran(tmp_path, "[tools]\noptional = []\n", DONE).shown()
    assert sorted(set(shown) - set(BOARD)) == sorted(canonical(name) for name in page) and len(page) == 11


def test_lists_of_a_profile_narrow_the_full_and_the_minimal_set(tmp_path: Path) -> None:
    profile = "profile = 'p'\n[risk_profiles.p]\nallowed_tools = ['file_read', 'calculator']\n"
    assert chosen(tmp_path, f"{profile}[tools]\noptional = ['*']\n") == {"file_read", "calculator"}
    assert chosen(tmp_path, f"{profile}[tools]\noptional = []\n") == {"file_read"}
    nothing = "profile = 'p'\n[risk_profiles.p]\ndeny_all_tools = true\n"
    assert chosen(tmp_path, nothing) == set()


def test_a_name_that_cannot_be_had_is_told_and_the_wildcard_tells_nothing(tmp_path: Path) -> None:
    named = Ran(tmp_path, "[tools]\noptional = ['web_search', 'calculatr']\n", DONE).done.stderr
    assert "tools.optional names 'web_search', which this version of Fieldhand does not have" in named
    assert "tools.optional names 'calculatr'" in named and "did you mean calculator?" in named
    full = Ran(tmp_path, "[tools]\noptional = ['*']\n", DONE)
    assert "tools.optional" not in full.done.stderr and "web_search" not in full.shown()


def test_full_is_what_this_board_these_needs_and_this_policy_leave_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from edge.tools import calculator

    text = "[tools]\noptional = ['*']\n"
    settings = load(written(tmp_path, text))
    policy = settle.policy(settings)
    bare, _ = catalogue(settings.tools, policy, Scene("/", ""), False)
    assert {tool.name for tool in bare.tools} & set(BOARD) == set() and BOARD[0] in chosen(tmp_path, text)
    needy = replace(calculator.TOOL, needs=("library:no_such_library",))
    monkeypatch.setattr(calculator, "TOOL", needy)
    found, told = catalogue(settings.tools, policy, HERE, False)
    why = "the Python package no_such_library is not installed"
    assert "calculator" not in found.schemas and found.absent["calculator"] == why and told == ()
    named = load(written(tmp_path, "[tools]\noptional = ['*', 'calculator']\n")).tools
    assert catalogue(named, policy, HERE, False)[1] == (
        f"tools.optional names calculator, and it is not offered: {why}",
    )
    monkeypatch.setattr(calculator, "TOOL", replace(needy, needs=("program:/bin/no-such-program",)))
    assert catalogue(named, policy, HERE, False)[0].absent["calculator"].startswith("there is no /bin/no-such-program")
    denied = "profile = 'p'\n[risk_profiles.p]\nallowed_tools = ['grep']\n" + text
    assert chosen(tmp_path, denied) == {"grep"}


def test_choosing_a_tool_grants_nothing(tmp_path: Path) -> None:
    policies = [
        settle.policy(load(written(tmp_path, f"mode = 'guarded'\n[tools]\noptional = {names}\n")))
        for names in ("[]", "['*']", "['file_delete', 'http_request']")
    ]
    assert policies[0] == policies[1] == policies[2]
    calls = [call("file_delete", path=f"{tmp_path}/w/note"), call("http_request", url="http://127.0.0.1:1/"), DONE]
    ran = Ran(tmp_path, "mode = 'readonly'\n[tools]\noptional = ['*', 'file_delete']\n", *calls, words=("--yes",))
    assert "file_delete" in ran.shown()
    assert [row["status"] for row in ran.outcomes] == ["refused", "refused"] and (tmp_path / "w" / "note").exists()


# --- showing forms bit by bit ---

DEFERRED = "[tools]\ndeferred_builtin_tools = true\n"


def test_putting_forms_off_is_a_choice_of_its_own_and_changes_nothing_of_which_tools_there_are(tmp_path: Path) -> None:
    for optional in ("[]", "['*']", "['calculator']"):
        text = f"[tools]\noptional = {optional}\n"
        assert chosen(tmp_path, text) == chosen(tmp_path, text + "deferred_builtin_tools = true\n")
    assert not load(written(tmp_path, "")).tools.deferred
    assert set(Ran(tmp_path, "", DONE).shown()) == EVERYTHING


def test_six_forms_the_board_and_the_finders_are_shown_and_the_rest_is_a_list(tmp_path: Path) -> None:
    ran = Ran(tmp_path, DEFERRED, DONE)
    assert set(ran.shown()) == {*ALWAYS, *BOARD, *FINDERS} and len(ALWAYS) == 6
    (line,) = [line for line in ran.bodies[0]["messages"][0]["content"].splitlines() if line.startswith("More tools")]
    listed = line.partition(": ")[2].split(", ")
    assert sorted(listed) == sorted(EVERYTHING - {*ALWAYS, *BOARD})
    assert find("calculator").about not in ran.told()


@pytest.mark.parametrize("query", ["select:grep", "search file regex"])
def test_what_was_found_stands_in_the_next_requests_with_its_whole_form_and_works(query: str, tmp_path: Path) -> None:
    ran = Ran(
        tmp_path,
        DEFERRED,
        call("tool_search", query=query),
        call("grep", pattern="pump", path=f"{tmp_path}/w/note"),
        DONE,
    )
    assert "grep" not in ran.shown(0) and "grep" in ran.shown(1) and ran.shown(2)["grep"] == ran.shown(1)["grep"]
    whole = Ran(tmp_path, "", DONE)
    assert ran.shown(1)["grep"] == whole.shown()["grep"]
    assert [row["status"] for row in ran.outcomes] == ["done", "done"] and ran.outcomes[1]["text"] == "1:the pump"
    assert ran.repairs == []


def test_a_model_that_answers_in_text_gets_the_form_in_the_result_of_the_search(tmp_path: Path) -> None:
    settings = f"[model]\nreplies = 'json'\n{DEFERRED}"
    search, use = step("tool_search", query="select:calculator"), step("calculator", expression="6 * 7")
    ran = Ran(tmp_path, settings, use, search, use, FINAL)
    assert "tools" not in ran.bodies[0] and find("calculator").about not in ran.told(0)
    assert "calculator is not loaded yet" in ran.repairs[0]
    form = json.loads(ran.outcomes[0]["text"].splitlines()[0])
    assert form["name"] == "calculator" and set(form["parameters"]["properties"]) == {
        *find("calculator").schema["properties"]
    }
    assert find("calculator").about in ran.told(2) and "42" in ran.outcomes[1]["text"]


def test_finding_a_tool_permits_nothing_and_finds_nothing_that_the_profile_took_away(tmp_path: Path) -> None:
    find_it, use_it = call("tool_search", query="select:file_delete"), call("file_delete", path=f"{tmp_path}/w/note")
    ran = Ran(tmp_path, "mode = 'guarded'\n" + DEFERRED, find_it, use_it, DONE)  # nobody is there to be asked
    assert [row["status"] for row in ran.outcomes] == ["done", "refused"] and (tmp_path / "w" / "note").exists()
    profile = "profile = 'p'\n[risk_profiles.p]\nlevel = 'full'\nallowed_tools = ['tool_search', 'file_read', 'glob']\n"
    ran = Ran(tmp_path, profile + DEFERRED, find_it, use_it, call("tool_search", query="select:glob"), DONE)
    assert "unknown: file_delete" in ran.outcomes[0]["text"] and (tmp_path / "w" / "note").exists()
    assert "file_delete" not in ran.shown(3) and "glob" in ran.shown(3)
    assert "file_delete" in ran.repairs[0]


def test_where_the_profile_has_no_tool_search_every_form_is_shown_at_once(tmp_path: Path) -> None:
    for more in ("", ", 'tool_describe'"):
        allowed = f"allowed_tools = ['file_read', 'grep', 'glob'{more}]"
        ran = Ran(tmp_path, f"profile = 'p'\n[risk_profiles.p]\n{allowed}\n{DEFERRED}", DONE)
        assert set(ran.shown()) == {"file_read", "grep", "glob"} and "More tools" not in ran.told(), more


def test_the_lists_for_people_have_every_tool_whether_its_form_is_put_off_or_not(tmp_path: Path) -> None:
    words = ("tools", "--config", written(tmp_path, DEFERRED))
    listed = agent.run(*words, env=environment(tmp_path))
    assert listed.returncode == 0, listed.stderr
    assert all(f"\n{name}" in "\n" + listed.stdout for name in EVERYTHING)


def test_a_tool_that_was_found_works_on_the_same_store_as_those_that_were_shown(tmp_path: Path) -> None:
    ran = Ran(
        *(tmp_path, DEFERRED),
        call("memory_store", key="pump", content="runs at 12 V"),
        call("tool_search", query="select:memory_forget"),
        call("memory_forget", key="pump"),
        call("memory_recall", query="pump"),
        DONE,
    )
    assert [row["status"] for row in ran.outcomes] == ["done"] * 4
    assert "12 V" not in ran.outcomes[3]["text"] and ran.outcomes[3]["data"]["entries"] == []


def test_a_tool_that_was_found_is_the_one_of_the_registry_and_of_every_later_call() -> None:
    catalogue = Catalogue(every(), deferred=True)
    before = {tool.name: tool for tool in catalogue.tools}
    (found,), _, _ = catalogue.load(["grep"])
    assert found is find("grep") is before["grep"] and any(tool is found for tool in catalogue.shown)
    assert {tool.name: tool for tool in catalogue.tools} == before


# --- what is told of a call ---


@pytest.mark.parametrize("name", ["fs.read", "FS_Read", "file_read"])
def test_every_record_of_a_call_names_its_tool_alike_whatever_it_was_called(name: str, tmp_path: Path) -> None:
    read = call(name, path=f"{tmp_path}/w/note")
    ran = Ran(tmp_path, "", read, DONE, words=("--trace", "json"))
    assert [row["text"] for row in ran.outcomes] == ["the pump"]
    traced = [json.loads(line) for line in ran.done.stderr.splitlines() if line.startswith("{")]
    taped = agent.records(agent.tapes(tmp_path)[-1])
    audited = [row for file in (agent.state(tmp_path) / "audit").glob("audit-*.jsonl") for row in agent.records(file)]
    for rows in (traced, taped, audited):
        named = [row["tool"] for row in rows if "tool" in row]
        assert named and set(named) == {"file_read"}
    (asked,) = ran.bodies[1]["messages"][-2]["tool_calls"]
    assert asked["function"]["name"] == "file_read"


def test_what_a_tool_says_of_itself_stands_in_its_own_file_alone_and_everybody_is_told_just_that(
    tmp_path: Path,
) -> None:
    sources = {path: path.read_text("utf-8") for folder in ("edge", "tools") for path in python_files(folder)}
    for name in TOOLS:
        where = [path for path, text in sources.items() if find(name).about in text]
        assert [path.relative_to(ROOT).as_posix() for path in where] == [f"tools/{name}.py"]
    shown = Ran(tmp_path, "", DONE).shown()
    assert {name: one["description"] for name, one in shown.items()} == {name: find(name).about for name in shown}
    listed = agent.run("tools", env=environment(tmp_path)).stdout.splitlines()
    assert all(f"    {find(name).about}" in listed for name in EVERYTHING)


def test_help_and_tool_describe_tell_what_is_really_there_plug_ins_and_what_they_replace_included(
    tmp_path: Path,
) -> None:
    site = installed(
        tmp_path / "site",
        {"soil": "fh_soil:TOOL", "grep": "fh_grep:TOOL"},
        {"fh_soil": tool("soil_map"), "fh_grep": tool("grep", "Search as another package has it.")},
    )
    typed = ',help\n,tool.describe names=\'["soil_map", "grep", "nothing"]\'\n,grep word=x\n'
    for plugins, there in (('["soil", "grep"]', True), ("[]", False)):
        config = written(tmp_path, f"[tools]\nplugins = {plugins}\n")
        done = subprocess.run(
            agent.command("--config", config),
            cwd=agent.ROOT,
            env=agent.environment(tmp_path, PYTHONPATH=str(site)),
            input=typed,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
        said = done.stdout + done.stderr
        listed = done.stdout.partition("tools: ")[2].partition("\n{")[0]
        assert ("soil_map" in listed) is there and "grep" in listed and "calculator" in listed
        assert ('"description":"What another package does for this board."' in said) is there
        assert ("Search as another package has it." in said) is there is (find("grep").about not in said)
        assert ("takes the place of the built-in tool grep" in said) is there
        assert ("made elsewhere" in said) is there and ("unknown: nothing" in said) is there
        assert ("unknown: soil_map, nothing" in said) is not there
        one = agent.run(
            "tool", "soil_map", "word=x", "--config", config, env=agent.environment(tmp_path, PYTHONPATH=str(site))
        )
        assert (one.returncode, "made elsewhere" in one.stdout) == ((0, True) if there else (2, False))
