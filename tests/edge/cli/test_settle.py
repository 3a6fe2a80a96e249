"""State folder, scene and settings from options and environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from edge.call import Root, Scene
from edge.cli.args import Options
from edge.cli.settle import environment, find, kept_in, of_card, scene, settings, state_folder, unkept
from edge.config import ModelSettings, Settings
from edge.faults import ConfigFault
from edge.gate.paths import place


def test_the_state_folder_is_told_then_systemd_then_xdg_then_home(tmp_path: Path) -> None:
    environ = {
        "STATE_DIRECTORY": str(tmp_path / "sd"),
        "XDG_STATE_HOME": str(tmp_path / "xdg"),
        "HOME": str(tmp_path / "home"),
    }
    assert state_folder(str(tmp_path / "told"), environ) == str(tmp_path / "told")
    assert state_folder("", environ) == str(tmp_path / "sd")
    del environ["STATE_DIRECTORY"]
    assert state_folder("", environ) == str(tmp_path / "xdg" / "fieldhand")
    del environ["XDG_STATE_HOME"]
    assert state_folder("", environ) == str(tmp_path / "home" / ".local" / "state" / "fieldhand")
    assert state_folder("", {}) == ""


@pytest.mark.parametrize("home", ["~", "relative", "/proc/nowhere", ""])
def test_a_home_that_is_none_gives_no_state_folder_and_makes_none(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert state_folder("", {"HOME": home}) == ""
    assert os.listdir(tmp_path) == []


def test_a_told_folder_that_cannot_be_written_is_a_fault() -> None:
    with pytest.raises(ConfigFault, match="/proc/nothing cannot be written"):
        state_folder("/proc/nothing", {})


def test_the_workspace_is_the_folder_it_was_started_in_but_never_a_system_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [root.path for root in scene("", {}).roots] == [str(tmp_path)]
    for folder in ("/", "/etc", "/usr/lib", "/var", "/var/lib", "/var/log", "/run", "/tmp"):
        monkeypatch.chdir(folder)
        assert scene("", {}).roots == ()


def test_options_go_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text('mode = "readonly"\n[model]\nname = "chat:a"\nbase_url = "http://127.0.0.1:1/v1"\n')
    found = settings(Options(config=str(file), model="offline", mode="FULL"), {})
    assert (found.preset, found.model.spec, found.model.base_url) == ("full", "offline", "http://127.0.0.1:1/v1")


def test_a_board_that_does_not_exist_is_a_sentence() -> None:
    with pytest.raises(ConfigFault, match=r"there is no board 'moon' \(sim, sim:NAME, auto"):
        settings(Options(board="moon"), {})


def test_the_file_is_looked_for_in_four_places(tmp_path: Path) -> None:
    home = tmp_path / "home"
    xdg = tmp_path / "xdg"
    for folder in (home / ".config" / "fieldhand", xdg / "fieldhand"):
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text("")
    environ = {"HOME": str(home), "XDG_CONFIG_HOME": str(xdg)}
    assert find({**environ, "FIELDHAND_CONFIG": "told.toml"}) == "told.toml"
    assert find(environ) == str(xdg / "fieldhand" / "config.toml")
    assert find({"HOME": str(home), "XDG_CONFIG_HOME": "relative"}) == str(
        home / ".config" / "fieldhand" / "config.toml"
    )
    etc = "/etc/fieldhand/config.toml"
    assert find({}) == (etc if os.path.exists(etc) else "")


def test_a_state_folder_behind_a_link_is_the_agents_own_by_its_real_path(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "st").mkdir(parents=True, mode=0o755)
    (tmp_path / "link").symlink_to(work / "st")
    (tmp_path / "home").symlink_to(work)
    assert state_folder(str(tmp_path / "link"), {}) == str(work / "st")
    assert state_folder("", {"STATE_DIRECTORY": str(tmp_path / "link")}) == str(work / "st")
    assert state_folder("", {"HOME": str(tmp_path / "home")}) == str(work / ".local/state/fieldhand")


def test_with_a_linked_state_or_home_the_tapes_are_own_in_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    (work / "st").mkdir(parents=True)
    (tmp_path / "home").symlink_to(work)
    (tmp_path / "link").symlink_to(work / "st")
    monkeypatch.chdir(work)
    environ = {"HOME": str(tmp_path / "home")}
    told = scene(state_folder(str(tmp_path / "link"), environ), environ)
    assert place("st/tapes/x.jsonl", told).kind == "own"
    found = scene(state_folder("", environ), environ)
    assert place(".local/state/fieldhand/tapes/x.jsonl", found).kind == "own"
    assert found.home == str(work) and place("~/notes", found).kind == "workspace"


@pytest.mark.parametrize(("mode", "word"), [(0o777, "chmod go-w"), (0o775, "chmod go-w"), (0o1777, "chmod go-w")])
def test_a_state_folder_that_others_can_write_is_a_fault_or_passed_over(tmp_path: Path, mode: int, word: str) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    os.chmod(shared, mode)
    with pytest.raises(ConfigFault, match=word):
        state_folder(str(shared), {})
    home = str(tmp_path / "home")
    environ = {"STATE_DIRECTORY": str(shared), "HOME": home}
    assert state_folder("", environ) == home + "/.local/state/fieldhand"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_state_folder_of_another_user_is_a_fault_or_passed_over(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", 1234, 1234)
    with pytest.raises(ConfigFault, match="belongs to another user"):
        state_folder(str(tmp_path / "theirs"), {})
    assert state_folder("", {"STATE_DIRECTORY": str(tmp_path / "theirs")}) == ""


def test_a_folder_of_the_start_that_is_gone_leaves_no_workspace_and_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    found = scene("", {"HOME": str(tmp_path)})
    assert (found.cwd, found.roots) == ("", ()) and found.sensors
    assert place("notes", found).kind == "adrift"
    with pytest.raises(ConfigFault, match="folder Fieldhand was started in is gone"):
        state_folder("relative", {})
    assert state_folder("", {"HOME": str(tmp_path)}) == str(tmp_path / ".local/state/fieldhand")


def test_settings_and_keys_in_the_workspace_are_not_for_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real.toml").write_text("")
    (tmp_path / "c.toml").symlink_to("real.toml")
    environ = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "x"), "FIELDHAND_CONFIG": "env.toml"}
    model = ModelSettings(key_file=str(tmp_path / "key"))
    found = scene("", environ, Settings(model=model), "c.toml")
    for path in ("c.toml", "real.toml", "env.toml", ".config/fieldhand/config.toml", "x/fieldhand/config.toml"):
        assert place(path, found).change == "settings", path
    assert place("key", found).kind == "own" and place("key.md", found).change == "workspace"


def test_the_program_is_not_for_tools_to_change_where_it_is_the_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    import edge

    monkeypatch.chdir(os.path.dirname(os.path.dirname(os.path.abspath(edge.__file__))))
    found = scene("", {})
    for path in ("edge/gate/rules.py", "tools/file_write.py", "edge/tools/file_write.py", "peripherals/guard/core.py"):
        assert place(path, found).change == "settings" and place(path, found).kind == "workspace", path
    assert place("notes.md", found).change == "workspace"


def test_what_the_boot_of_a_card_obeys_is_not_for_tools_whatever_folder_is_opened(tmp_path: Path) -> None:
    assert of_card(str(tmp_path)) == []
    (tmp_path / "etc/fieldhand").mkdir(parents=True)
    (tmp_path / "etc/fieldhand/release").write_text("PRODUCT=pi-armv6\n")
    data = tmp_path / "data"
    opened = Scene(str(data / "work"), "", (Root("root1", str(data)),), settings=tuple(of_card(str(tmp_path))))
    for name in ("config/config.toml", "etc/network", "etc/keys/x.pub", "provision.ready/config/config.toml", "schema"):
        assert place(str(data / name), opened).change == "settings", name
    for name in (
        "restore.new/ready",
        "restore.old/etc",
        "update/fetched.update",
        "state/audit.jsonl",
        "provision.taken",
    ):
        assert place(str(data / name), opened).change == "settings", name
    for name in ("work/notes", "work/etc/network", "configs", "mine/config"):
        assert place(str(data / name), opened).change == "workspace", name


def test_roots_of_the_settings_are_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "link").symlink_to("a")
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "c.toml"
    file.write_text(f'roots = ["{tmp_path}/link", "{tmp_path}/b", "{tmp_path}/a/"]\n')
    chosen = settings(Options(config=str(file)), {})
    found = scene("", {}, chosen, str(file))
    assert [root.path for root in found.roots] == [str(tmp_path / "a"), str(tmp_path / "b")]
    assert place("a/x", found).kind == "workspace" and place("b/x", found).root == "root2"
    assert place("x", found).kind == "outside"


@pytest.mark.parametrize(
    "value", ['["/"]', '["/etc"]', '["/usr/bin"]', '["relative"]', '["/no/such"]', '"/tmp"', "[1]", '[""]']
)
def test_roots_that_are_no_workspace_are_a_fault_with_their_line(tmp_path: Path, value: str) -> None:
    file = tmp_path / "c.toml"
    file.write_text(f"roots = {value}\n")
    with pytest.raises(ConfigFault, match=r"roots must be|roots must n|must be an absolute") as caught:
        settings(Options(config=str(file)), {})
    assert caught.value.where == f"{file}:1" and caught.value.key == "roots"


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o777, 0o720, 0o500])
@pytest.mark.parametrize("name", ["STATE_DIRECTORY", "XDG_STATE_HOME", "HOME", ""])
def test_the_short_way_to_a_state_folder_says_what_the_long_one_says(tmp_path: Path, name: str, mode: int) -> None:
    folder = tmp_path / {"XDG_STATE_HOME": "fieldhand", "HOME": ".local/state/fieldhand"}.get(name, "")
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(mode)
    environ = {name: str(tmp_path)} if name else {}
    for told in ("", str(folder), str(folder) + "/file"):
        try:
            wanted = state_folder(told, environ)
        except ConfigFault as fault:
            wanted = str(fault)
        try:
            found = os.path.realpath(kept_in(told, environ) or "/") if wanted else kept_in(told, environ)
        except ConfigFault as fault:
            found = str(fault)
        assert found == wanted, told
    folder.chmod(0o700)


@pytest.mark.parametrize(
    ("folder", "facts", "wanted"),
    [
        ("", {}, "no folder for state can be written: nothing is kept"),
        ("/data/state", {"VOLATILE": "1"}, "nothing is kept beyond this start: /data is memory"),
        ("/data/state", {"DATA": "mounted"}, ""),
        ("/data/state", {"DATA": "mounted", "DATA_MENDED": "it was damaged"}, "the card was damaged and mended"),
        ("/var/lib/fieldhand", {"VOLATILE": "1"}, ""),
    ],
)
def test_a_folder_that_keeps_nothing_is_told(
    folder: str, facts: dict[str, str], wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edge.card.boot.facts", lambda: facts)
    said = unkept(folder)
    assert said.startswith(wanted) and bool(said) == bool(wanted)


def test_the_prompt_reads_its_environment_without_os() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from edge.cli.settle import environment; found = environment();"
        "loaded = 'os' in sys.modules; import json, os; print(json.dumps([loaded, found == dict(os.environ)]))"
    )
    root = str(Path(__file__).parents[3])
    given = {b"HOME": b"/home/\xff\xc3\xa4", b"LANG": b"C.UTF-8"}
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, root], env=given, capture_output=True, check=True)
    assert json.loads(done.stdout) == [False, True]
    assert environment() == os.environ
