from __future__ import annotations

import itertools
import os
import sys
import textwrap
from pathlib import Path

import pytest

from edge.config import Budgets, ModelSettings, Settings, load, read_key
from edge.config_keys import KEYS
from edge.faults import ConfigFault
from edge.record import as_dict

# Keys that the README tells of elsewhere, or that are other pages' names for what it names.
ELSEWHERE = {"key_file", "timeout_ms"}


def write(folder: Path, text: str, name: str = "config.toml") -> str:
    path = folder / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return str(path)


def test_an_empty_file_leaves_the_defaults(tmp_path: Path) -> None:
    assert load(write(tmp_path, "")) == Settings()
    assert Settings().preset == "guarded" and Settings().board == "sim" and Settings().state == ""
    assert Settings().model == ModelSettings() and Settings().budgets == Budgets()


def test_the_block_of_defaults_in_the_readme_loads_as_printed_and_is_the_defaults(tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    below = readme.partition("The defaults:\n")[2].lstrip("\n").splitlines()
    block = list(itertools.takewhile(lambda line: not line or line.startswith("    "), below))
    text = textwrap.dedent("\n".join(block))
    assert load(write(tmp_path, text)) == Settings()
    keys = {line.partition(" = ")[0].lstrip("# ") for line in block if " = " in line}
    assert keys == {key.rpartition(".")[2] for key in KEYS} - ELSEWHERE
    # What the comments offer loads too.
    assert load(write(tmp_path, text.replace("# state", "state"))).state == "/var/lib/fieldhand"


def test_the_risk_profile_in_the_readme_loads_as_printed_without_a_warning(tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    start = readme.index("    [risk_profiles.field]")
    block = itertools.takewhile(lambda line: line.startswith("    "), readme[start:].splitlines())
    found = load(write(tmp_path, 'profile = "field"\n' + textwrap.dedent("\n".join(block))))
    assert [profile.name for profile in found.profiles] == ["field"]
    assert found.warnings == ()


def test_an_empty_address_key_file_or_state_is_one_that_is_not_given(tmp_path: Path) -> None:
    text = 'state = ""\n[model]\nbase_url = ""\nkey_file = ""\n'
    assert load(write(tmp_path, text)) == Settings()
    with pytest.raises(ConfigFault, match="must be http://HOST"):
        load(write(tmp_path, '[model]\nbase_url = " "\n'))


def test_every_key_of_the_file_arrives_where_it_belongs(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """\
        mode = "unrestricted"
        board = "sim"
        state = "/var/lib/fieldhand"
        [model]
        name = "chat:some/model:1b"
        base_url = "http://127.0.0.1:8080/v1/"
        replies = "JSON"
        stream = false
        key_env = "MY_KEY"
        key_file = "/etc/fieldhand/key"
        seconds = 60
        retries = 0
        temperature = 0
        max_tokens = 256
        [budgets]
        steps = 8
        tool_calls_per_hour = 0
        turn_seconds = 90.5
        tool_seconds = 5
        approval_seconds = 30
        """,
    )
    model = ModelSettings(
        "chat:some/model:1b",
        "http://127.0.0.1:8080/v1",
        "json",
        False,
        "MY_KEY",
        "/etc/fieldhand/key",
        60.0,
        0,
        0.0,
        256,
    )
    assert load(path) == Settings("full", "sim", model, Budgets(8, 0, 90.5, 5.0, 30.0), "/var/lib/fieldhand")


@pytest.mark.parametrize(
    ("spelled", "meant"),
    [
        ("readonly", "readonly"),
        ("read_only", "readonly"),
        ("READONLY", "readonly"),
        ("supervised", "supervised"),
        ("Guarded", "guarded"),
        ("full", "full"),
        ("Unrestricted", "full"),
    ],
)
def test_presets_have_every_spelling(spelled: str, meant: str, tmp_path: Path) -> None:
    assert load(write(tmp_path, f'mode = "{spelled}"\n')).preset == meant


def test_timeout_ms_is_a_spelling_of_tool_seconds_but_not_beside_it(tmp_path: Path) -> None:
    assert load(write(tmp_path, "[tools]\ntimeout_ms = 2500\n")).budgets.tool_seconds == 2.5
    with pytest.raises(ConfigFault, match="says again what another key says"):
        load(write(tmp_path, "[budgets]\ntool_seconds = 3\n[tools]\ntimeout_ms = 2500\n"))


def test_a_home_folder_is_written_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/pi")
    assert load(write(tmp_path, 'state = "~/fieldhand"')).state == "/home/pi/fieldhand"


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        ('\nmodle = "x"\n', 2, "modle", "there is no key modle (did you mean mode?)"),
        ("[modle]\nname = 1\n", 1, "modle", "there is no table [modle] (did you mean [model]?)"),
        ("[model]\n\nsecond = 3\n", 3, "model.second", "did you mean seconds?"),
        ("steps = 3\n", 1, "steps", "did you mean budgets.steps?"),
        ("[model.deep]\nx = 1\n", 1, "model.deep", "there is no table [model.deep]"),
        (
            "[servers]\n",
            1,
            "servers",
            "there is no table [servers] (tables: model, backend, budgets, tools, network, approvals, audit, "
            "outputs, inputs, sensors, gpio, guard, ports, risk_profiles)",
        ),
        ("[model]\nzzz = 3\n", 2, "model.zzz", "known here: name, base_url"),
        ("model = 3\n", 1, "model", "model is a table (write [model] once"),
        ("internal_hosts = []\n", 1, "internal_hosts", "(internal_hosts stands below a [risk_profiles.NAME]"),
        ("roots = ['/']\n", 1, "roots", "roots must not name /, which is everything"),
        ("roots = ['/etc']\n", 1, "roots", "roots must not name /etc, a folder of the system"),
        ("mode = 3\n", 1, "mode", "mode must be a text, not a whole number"),
        ('mode = "guard"\n', 1, "mode", "there is no mode 'guard'"),
        ('board = ["sim"]\n', 1, "board", "board must be a text, not a list"),
        ('state = "here"\n', 1, "state", "state must be an absolute path"),
        ('[model]\nstream = "yes"\n', 2, "model.stream", "must be true or false, not a text"),
        ("[model]\nstream = 1\n", 2, "model.stream", "must be true or false, not a whole number"),
        ("[model]\nretries = 2.0\n", 2, "model.retries", "must be a whole number, not a number"),
        ("[model]\nretries = true\n", 2, "model.retries", "must be a whole number, not true or false"),
        ("[model]\nretries = -1\n", 2, "model.retries", "must be from 0 to 20, not -1"),
        ("[model]\nseconds = 0\n", 2, "model.seconds", "must be from 0.1 to 3600"),
        ("[model]\ntemperature = 2.5\n", 2, "model.temperature", "must be from 0 to 2"),
        ('[model]\nname = "gpt"\n', 2, "model.name", "must be offline, chat:NAME or scripted:FILE, not 'gpt'"),
        ('[model]\nname = "chat:"\n', 2, "model.name", "must be offline"),
        ('[model]\nreplies = "xml"\n', 2, "model.replies", "must be native or json, not 'xml'"),
        ('[model]\nbase_url = "host:80"\n', 2, "model.base_url", "must be http://HOST"),
        ('[model]\nbase_url = "file:///etc/passwd"\n', 2, "model.base_url", "must be http://HOST"),
        ("[budgets]\nsteps = 0\n", 2, "budgets.steps", "must be from 1 to 10000, not 0"),
        ("[budgets]\nturn_seconds = 1e99\n", 2, "budgets.turn_seconds", "must be from 1 to 86400"),
        ("[budgets]\ntool_calls_per_hour = -5\n", 2, "budgets.tool_calls_per_hour", "must be from 0"),
    ],
)
def test_a_wrong_key_or_value_is_a_fault_with_file_line_and_key(
    text: str, line: int, key: str, words: str, tmp_path: Path
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigFault) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}:{line}: ") and words in str(caught.value)
    assert (caught.value.where, caught.value.key) == (f"{path}:{line}", key)


SECRET = "sk-SECRET0123456789"


@pytest.mark.parametrize(
    "text",
    [
        f'api_key = "{SECRET}"\n',
        f'[model]\napi_key = "{SECRET}"\n',
        f'[model]\nkey = "{SECRET}"\n',
        f'[model]\nAPI-Key = "{SECRET}"\n',
        f'[model]\nkey_env = "{SECRET}"\n',
        f'[model]\nbase_url = "https://me:{SECRET}@host/v1"\n',
    ],
)
def test_a_key_in_the_file_is_refused_and_never_shown(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigFault, match=r"key_env|key_file|environment variable") as caught:
        load(write(tmp_path, text))
    assert "SECRET" not in f"{caught.value}{caught.value!r}{caught.value.args}"
    assert caught.value.__cause__ is None


def test_a_file_of_another_user_is_told_as_one_to_be_let_read(tmp_path: Path) -> None:
    path = write(tmp_path, 'mode = "full"\n')
    os.chmod(path, 0)
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        with pytest.raises(ConfigFault, match="permission denied") as caught:
            load(path)
    finally:
        os.seteuid(before)
    assert "let this user read it" in caught.value.fix


def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigFault, match=r"settings file .*absent\.toml cannot be read: no such file"):
        load(str(tmp_path / "absent.toml"))
    with pytest.raises(ConfigFault, match="is not a regular file"):
        load(str(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigFault, match="is not a regular file"):
        load(str(tmp_path / "pipe"))
    with pytest.raises(ConfigFault, match="cannot be read"):
        load("nul\0byte")
    (tmp_path / "latin").write_bytes(b'a = 1\nb = "\xfc"\n')
    with pytest.raises(ConfigFault, match="latin:2: this line is not UTF-8"):
        load(str(tmp_path / "latin"))
    (tmp_path / "big").write_bytes(b"#" * (1 << 20) + b"\n")
    with pytest.raises(ConfigFault, match="more than 1048576 bytes"):
        load(str(tmp_path / "big"))


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="no /proc here: no file whose reading is refused")
def test_a_card_that_does_not_read_is_told_as_one() -> None:
    """The first page of a process cannot be read: EIO, as from a card."""
    with pytest.raises(ConfigFault, match=r"mem cannot be read: input/output error \(the card may be failing"):
        load("/proc/self/mem")


def test_the_key_comes_from_the_variable_or_from_a_file_of_its_owner(tmp_path: Path) -> None:
    assert read_key(ModelSettings(), {}) == ""
    assert read_key(ModelSettings(), {"FIELDHAND_API_KEY": " abc\n"}) == "abc"
    path = write(tmp_path, SECRET + "\n", "key")
    settings = ModelSettings(key_file=path)
    os.chmod(path, 0o600)
    assert read_key(settings, {"FIELDHAND_API_KEY": "other"}) == SECRET
    os.chmod(path, 0o400)
    assert read_key(settings, {}) == SECRET
    assert "SECRET" not in repr(settings) and "SECRET" not in repr(as_dict(settings))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o610, 0o601, 0o620, 0o602])
def test_a_key_file_that_others_can_touch_is_refused(mode: int, tmp_path: Path) -> None:
    path = write(tmp_path, SECRET, "key")
    os.chmod(path, mode)
    with pytest.raises(ConfigFault, match=f"can be used by others .run: chmod 600 {path}") as caught:
        read_key(ModelSettings(key_file=path), {})
    assert "SECRET" not in str(caught.value) and caught.value.key == "model.key_file"


def test_a_key_that_is_no_single_word_is_refused_and_not_shown(tmp_path: Path) -> None:
    for text in ("", "\n", "SECRET one", "SECRET\nX-Header: 1", "SECRETü", "SECRET\x00"):
        path = write(tmp_path, text, "key")
        os.chmod(path, 0o600)
        with pytest.raises(ConfigFault) as caught:
            read_key(ModelSettings(key_file=path), {})
        assert "SECRET" not in str(caught.value)
    with pytest.raises(ConfigFault, match="not one word"):
        read_key(ModelSettings(), {"FIELDHAND_API_KEY": "a\nb"})
    with pytest.raises(ConfigFault, match="not one word"):
        read_key(ModelSettings(), {"FIELDHAND_API_KEY": "a\udcff"})
    with pytest.raises(ConfigFault, match="is not a regular file"):
        read_key(ModelSettings(key_file=str(tmp_path)), {})
    with pytest.raises(ConfigFault, match="cannot be read: no such file"):
        read_key(ModelSettings(key_file=str(tmp_path / "absent")), {})


def test_loading_an_everyday_file_imports_no_reader_of_toml(tmp_path: Path) -> None:
    import subprocess

    path = write(tmp_path, '[model]\nname = "offline"\n[budgets]\nsteps = 4\n')
    code = (
        "import sys; sys.path.insert(0, sys.argv[2]); from edge.config import load\n"
        "assert load(sys.argv[1]).budgets.steps == 4\n"
        "dear = 're json typing enum tomllib tomli dataclasses collections pathlib'.split()\n"
        "print(sorted(set(dear) & set(sys.modules)))"
    )
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, path, root], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("", ""),
        ("http://10.0.0.9:3128", "http://10.0.0.9:3128"),
        ("http://Proxy.example.org/", "http://proxy.example.org:80"),
    ],
)
def test_a_proxy_is_a_plain_http_address(said: str, meant: str, tmp_path: Path) -> None:
    assert load(write(tmp_path, f'[network]\nproxy = "{said}"\n')).proxy == meant


@pytest.mark.parametrize(
    "said", ["10.0.0.9:3128", "https://x.org", "http://u:p@x.org", "http://x.org/path", "socks5://x"]
)
def test_what_is_no_plain_http_proxy_is_a_fault_without_its_password(said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigFault, match="must be http://HOST:PORT") as caught:
        load(write(tmp_path, f'[network]\nproxy = "{said}"\n'))
    assert "u:p" not in str(caught.value) and caught.value.key == "network.proxy"


def test_questions_wait_for_answers_from_elsewhere_where_the_settings_say_so(tmp_path: Path) -> None:
    assert Settings().wait is False
    assert load(write(tmp_path, "[approvals]\nwait = true\n")).wait is True
    with pytest.raises(ConfigFault, match="must be true or false"):
        load(write(tmp_path, "[approvals]\nwait = 1\n"))
