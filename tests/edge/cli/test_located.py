"""A fault of a value that the settings file gave names the line and the key that somebody wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.cli.args import parse
from edge.cli.located import located
from edge.faults import ConfigFault
from tests.support.agent import run

FILE = """\
state = "/s"
[model]
name = "chat:x"
base_url = "http://127.0.0.1:9/v1"

key_file = "/nowhere/key"
"""


@pytest.fixture
def config(tmp_path: Path) -> str:
    (tmp_path / "c.toml").write_text(FILE)
    return str(tmp_path / "c.toml")


def test_a_key_file_that_is_not_there_is_told_with_its_line(config: str, tmp_path: Path) -> None:
    done = run("--config", config, "--state", str(tmp_path / "s"), "-e", "hello", home=tmp_path)
    assert done.returncode == 3
    sentence = f"fieldhand: {config}:6: model.key_file: the key file /nowhere/key cannot be read: no such file"
    assert done.stderr.startswith(sentence), done.stderr
    assert f"{config}:6: model.key_file" in run("doctor", "--config", config, home=tmp_path).stdout


@pytest.mark.parametrize("key", ["model.ca_file", "backend.ca_file"])
def test_the_key_is_named_as_it_was_written(key: str, tmp_path: Path) -> None:
    table, _, name = key.partition(".")
    (tmp_path / "c.toml").write_text(f'\n[{table}]\n{name} = "/x"\n')
    found = located(ConfigFault("it is empty", key="model.ca_file"), parse(["--config", f"{tmp_path}/c.toml"]), {})
    assert str(found) == f"{tmp_path}/c.toml:3: {key}: it is empty"
    assert (found.where, found.key) == (f"{tmp_path}/c.toml:3", key)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("state", ["--state", "/other"]),
        ("model", ["--model", "chat:y"]),
        ("model.base_url", ["--base-url", "http://b"]),
        ("model.key_env", []),
        ("", []),
        ("no.key", []),
    ],
)
def test_what_the_file_did_not_say_is_not_its_fault(key: str, words: list[str], config: str) -> None:
    fault = ConfigFault("wrong", key=key)
    assert located(fault, parse(["--config", config, *words]), {}) is fault


def test_a_fault_that_has_its_line_keeps_it_and_a_file_that_went_gives_none(config: str, tmp_path: Path) -> None:
    known = ConfigFault("wrong", where="other:9", key="state")
    assert located(known, parse(["--config", config]), {}) is known
    gone = ConfigFault("wrong", key="state")
    assert located(gone, parse(["--config", f"{tmp_path}/gone"]), {}) is gone
    assert located(gone, parse([]), {}) is gone
    assert located(ConfigFault("wrong", key="model"), parse([]), {"FIELDHAND_CONFIG": config}).where == f"{config}:3"
