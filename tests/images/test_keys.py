"""Keys for signing: made once, kept from others, read back; what is no key is told."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from edge.card import ed25519, manifest
from edge.faults import CardFault, UsageFault
from images import key_command, keys


def test_a_new_key_signs_what_its_public_half_verifies(tmp_path: Path) -> None:
    secret, public = keys.new("ops", tmp_path)
    assert secret.stat().st_mode & 0o777 == 0o600 and public.stat().st_mode & 0o777 == 0o644
    key, half = keys.load(secret), keys.load_public(public)
    assert (key.name, key.public, key.id) == (half.name, half.public, half.id) == ("ops", half.public, half.id)
    assert ed25519.verify(half.public, b"text", ed25519.sign(key.seed, b"text"))
    assert manifest.signer(b"text", manifest.sign(b"text", key.seed), [half]) == half
    assert key.seed.hex() not in public.read_text()


def test_two_keys_differ_and_none_is_overwritten(tmp_path: Path) -> None:
    first = keys.load(keys.new("one", tmp_path)[0])
    assert keys.load(keys.new("two", tmp_path)[0]).seed != first.seed
    with pytest.raises(UsageFault, match="never overwritten"):
        keys.new("one", tmp_path)
    (tmp_path / "two.key").unlink()
    with pytest.raises(UsageFault, match=r"two\.pub is there already"):
        keys.new("two", tmp_path)
    assert keys.load(tmp_path / "one.key") == first and not (tmp_path / "two.key").exists()


@pytest.mark.parametrize("name", ["", "a/b", "../x", ".hidden", "a b", "x" * 65, "schl\u00fcssel", "\u0663"])
def test_odd_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageFault, match="no name of a key"):
        keys.new(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_key_or_open_to_others_is_told(tmp_path: Path) -> None:
    secret = keys.new("ops", tmp_path)[0]
    secret.chmod(0o640)
    with pytest.raises(CardFault, match="chmod 600"):
        keys.load(secret)
    secret.chmod(0o600)
    secret.write_text("abc")
    with pytest.raises(CardFault, match="no signing key"):
        keys.load(secret)
    with pytest.raises(CardFault, match="no such file"):
        keys.load(tmp_path / "absent.key")
    with pytest.raises(CardFault, match="no public key"):
        keys.load_public(secret)


def test_a_public_key_without_a_name_has_that_of_its_file_and_a_fault_names_the_file(tmp_path: Path) -> None:
    public = keys.new("ops", tmp_path)[1]
    digits = public.read_text().split()[0]
    (tmp_path / "field.pub").write_text(f"{digits}\n")
    assert keys.load_public(tmp_path / "field.pub") == manifest.Key("field", bytes.fromhex(digits))
    public.write_text("no key\n")
    with pytest.raises(CardFault, match=r"ops\.pub is no public key"):
        keys.load_public(public)


def test_the_command_shows_the_id_of_both_halves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert key_command.main(["new", "ops", "--out", str(tmp_path)]) == 0
    assert "keep it secret" in capsys.readouterr().out
    assert key_command.main(["show", str(tmp_path / "ops.key")]) == 0
    assert key_command.main(["show", str(tmp_path / "ops.pub")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == lines[1] and len(lines[0].split()[0]) == 16


@pytest.mark.parametrize("named", ["made/ops", "{}/made/ops", "made/ops.key", "./made/../made/ops.pub"])
def test_a_key_may_be_named_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], named: str
) -> None:
    (tmp_path / "made").mkdir()
    monkeypatch.chdir(tmp_path)
    assert key_command.main(["new", named.format(tmp_path)]) == 0
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == ["ops.key", "ops.pub"]
    assert keys.load(tmp_path / "made/ops.key").name == "ops" and "made/ops.key: keep it" in capsys.readouterr().out
    with pytest.raises(UsageFault, match="never overwritten"):
        key_command.main(["new", named.format(tmp_path)])


@pytest.mark.parametrize(
    ("named", "told"), [("absent/ops", "no folder absent"), ("made/", "no name"), ("..", "no name")]
)
def test_a_key_in_no_folder_or_without_a_name_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, told: str
) -> None:
    (tmp_path / "made").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageFault, match=told):
        key_command.main(["new", named])
    assert [path.name for path in tmp_path.rglob("*")] == ["made"]


def test_a_key_that_could_not_be_written_whole_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full for the second file, then for the first."""
    real = os.fsync
    for full in (2, 1):
        calls: list[int] = []

        def sync(handle: int, full: int = full, calls: list[int] = calls) -> None:
            calls.append(handle)
            if len(calls) == full:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            real(handle)

        monkeypatch.setattr(os, "fsync", sync)
        with pytest.raises(CardFault, match="could not be made: no space left"):
            keys.new("ops", tmp_path)
        assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(os, "fsync", real)
    assert keys.new("ops", tmp_path)[0].is_file()


def test_what_is_no_key_is_not_asked_for_its_mode(tmp_path: Path) -> None:
    public = keys.new("ops", tmp_path)[1]
    with pytest.raises(CardFault, match="is no signing key"):
        keys.load(public)
