from __future__ import annotations

import json
from pathlib import Path

import pytest

from edge.faults import CardFault
from edge.record import replace
from images import lock, product


def one(tmp_path: Path) -> product.Product:
    """A product whose lock is a copy of the real one, in a folder of its own."""
    real = product.load("pi-armv6")
    for path in (real.lock, real.lock.parent / lock.WHEELS):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return replace(real, lock=tmp_path / real.lock.name)


@pytest.mark.parametrize("name", product.names())
def test_the_locks_of_the_checkout_hold_what_their_products_need(name: str) -> None:
    item = product.load(name)
    locked = lock.load(item)
    names = {deb.name for deb in locked.debs}
    assert set(item.roots) <= names and not names & set(item.without)
    assert {deb.arch for deb in locked.debs} <= {item.arch, "all"}
    assert [deb.name for deb in locked.texts] == ["base-files"]
    assert {wheel.name for wheel in locked.wheels} >= {"httpx", "httpcore", "pyserial", "smbus2", "gpiozero", "dulwich"}
    assert all(wheel.file.endswith("-none-any.whl") for wheel in locked.wheels)
    assert lock.release(locked).startswith("6.")


@pytest.mark.parametrize("name", product.names())
def test_every_list_that_was_wanted_is_told_with_its_state(name: str) -> None:
    item = product.load(name)
    locked = lock.load(item)
    own = {(index.suite, index.component): index.state for index in locked.indexes if index.arch == item.arch}
    assert len(own) == 6 and own[item.suite, "main"] == "read"
    states = {index.state.partition(":")[0] for index in locked.indexes}
    assert states <= {"read", "empty", "not offered", "failed"}
    assert locked.epoch == max(index.date for index in locked.indexes if index.arch == item.arch)


def test_armel_is_told_to_have_no_security_updates() -> None:
    locked = lock.load(product.load("pi-armv6"))
    states = {(index.suite, index.arch): index.state for index in locked.indexes if index.component == "main"}
    assert states["bookworm-security", "armel"] == "not offered"
    assert locked.deb("libssl3").security.startswith("behind: arm64 has ")


def test_a_lock_holds_only_what_the_product_reaches(tmp_path: Path) -> None:
    item = one(tmp_path)
    small = replace(item, packages=("busybox-static",), wheels=("h11",), without={**item.without, "libc6": "no"})
    assert {deb.name for deb in lock.load(small).debs} == {
        "busybox-static",
        "linux-image-rpi",
        lock.load(item).kernel().name,
    }
    assert [wheel.name for wheel in lock.load(small).wheels] == ["h11"]


def test_what_is_not_locked_is_named(tmp_path: Path) -> None:
    item = replace(one(tmp_path), packages=("busybox-static", "zsh", "ash"))
    with pytest.raises(CardFault, match=r"not locked for pi-armv6: ash, zsh .*lock update pi-armv6"):
        lock.load(item)
    with pytest.raises(CardFault, match="not locked for pi-armv6: paho-mqtt"):
        lock.load(replace(one(tmp_path), wheels=("Paho_MQTT>=2",)))
    with pytest.raises(CardFault, match="zsh is not in the lock"):
        lock.load(one(tmp_path)).deb("zsh")


def test_wheels_of_another_python_are_not_locked(tmp_path: Path) -> None:
    with pytest.raises(CardFault, match="not locked"):
        lock.load(replace(one(tmp_path), python="3.9"))


def test_a_lock_of_another_suite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CardFault, match="is of bookworm armel, not of trixie armel"):
        lock.load(replace(one(tmp_path), suite="trixie"))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("sha256", "abc"),
        ("sha256", "z" * 64),
        ("sha256", None),
        ("size", 0),
        ("size", "12"),
        ("path", "../../etc/passwd"),
        ("path", "/etc/passwd"),
        ("path", 3),
        ("strange", 1),
    ],
)
def test_a_damaged_entry_is_told(tmp_path: Path, key: str, value: object) -> None:
    item = one(tmp_path)
    data = json.loads(item.lock.read_bytes())
    data["debs"][3][key] = value
    item.lock.write_text(json.dumps(data))
    with pytest.raises(CardFault, match=f"{item.lock.name}: .*(damaged|strange)"):
        lock.load(item)


@pytest.mark.parametrize(
    ("key", "value"), [("epoch", None), ("epoch", "x"), ("debs", [3]), ("indexes", [{"suite": "x"}])]
)
def test_a_lock_without_what_belongs_into_it_is_told(tmp_path: Path, key: str, value: object) -> None:
    item = one(tmp_path)
    item.lock.write_text(json.dumps({**json.loads(item.lock.read_bytes()), key: value}))
    with pytest.raises(CardFault, match="lock update"):
        lock.load(item)


@pytest.mark.parametrize("text", ["", "[]", "{", "\0"])
def test_what_is_no_lock_is_told(tmp_path: Path, text: str) -> None:
    item = one(tmp_path)
    item.lock.write_text(text)
    with pytest.raises(CardFault, match="lock update"):
        lock.load(item)
    item.lock.unlink()
    with pytest.raises(CardFault, match="there is no lock"):
        lock.load(item)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Smbus2>=0.6", "smbus2"),
        ("typing_extensions; x", "typing-extensions"),
        ("a.b__c (<5)", "a-b-c"),
        ("h2[all]", "h2"),
    ],
)
def test_the_name_in_a_requirement(text: str, name: str) -> None:
    assert lock.plain(text) == name


def test_reaching_goes_round_what_is_left_out() -> None:
    needs = {"a": ["b", "c"], "b": ["d"], "c": ["d", "a"], "d": []}
    assert lock.reach(needs, ["a"], ["b"]) == {"a", "c", "d"}
    assert lock.reach(needs, ["a"], ["b", "c"]) == {"a"}


def test_a_lock_is_written_sorted_one_entry_a_line() -> None:
    wheels = [lock.Wheel(name, "1", f"{name}.whl", 1, "0" * 64, ("3.11",), (), ()) for name in ("b", "a")]
    text = lock.dumps({"format": 1}, {"wheels": wheels})
    assert text == lock.dumps({"format": 1}, {"wheels": wheels[::-1]})
    assert [row["name"] for row in json.loads(text)["wheels"]] == ["a", "b"] and len(text.splitlines()) == 7


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("needs", 5),
        ("needs", [1]),
        ("needs", "libc6"),
        ("name", 3),
        ("name", ["x"]),
        ("name", ""),
        ("version", None),
        ("size", True),
        ("size", 1 << 60),
        ("size", -1),
        ("licences", None),
        ("path", ""),
        ("path", "pool/x/"),
        ("path", "pool/./x.deb"),
        ("path", "pool/.x.deb"),
        ("path", "pool/x\x00.deb"),
        ("path", "pool/x y.deb"),
        ("path", "pool/x.deb?a#b"),
        ("path", "pool/\u00e4.deb"),
        ("sha256", 5),
    ],
)
def test_an_entry_of_the_wrong_kind_is_told(tmp_path: Path, key: str, value: object) -> None:
    item = one(tmp_path)
    data = json.loads(item.lock.read_bytes())
    data["debs"][3][key] = value
    item.lock.write_text(json.dumps(data))
    with pytest.raises(CardFault, match="is damaged"):
        lock.load(item)


@pytest.mark.parametrize(("key", "value"), [("file", "a/b.whl"), ("file", "../b.whl"), ("pythons", None), ("needs", 1)])
def test_a_wheel_of_the_wrong_kind_is_told(tmp_path: Path, key: str, value: object) -> None:
    item = one(tmp_path)
    place = tmp_path / lock.WHEELS
    data = json.loads(place.read_bytes())
    data["wheels"][0][key] = value
    place.write_text(json.dumps(data))
    with pytest.raises(CardFault, match=r"wheels\.json: .*damaged"):
        lock.load(item)


@pytest.mark.parametrize(
    ("key", "value"),
    [("debs", 5), ("debs", {}), ("debs", None), ("indexes", 5), ("epoch", True), ("epoch", 1 << 40), ("epoch", 1.5)],
)
def test_parts_of_the_wrong_kind_are_told(tmp_path: Path, key: str, value: object) -> None:
    item = one(tmp_path)
    item.lock.write_text(json.dumps({**json.loads(item.lock.read_bytes()), key: value}))
    with pytest.raises(CardFault, match=f"{key} is "):
        lock.load(item)
    item.lock.write_text("[" * 100_000)
    with pytest.raises(CardFault, match="cannot read the lock"):
        lock.load(item)


def test_what_a_hand_made_of_a_lock_is_told(tmp_path: Path) -> None:
    """A name twice, a package of another architecture, one that is needed and was taken out."""
    item = one(tmp_path)
    data = json.loads(item.lock.read_bytes())
    whole = [dict(entry) for entry in data["debs"]]

    def with_debs(debs: list[dict[str, object]]) -> None:
        item.lock.write_text(json.dumps({**data, "debs": debs}))

    with_debs([*whole, {**whole[0], "version": "0"}])
    with pytest.raises(CardFault, match=f"{whole[0]['name']} stands there twice"):
        lock.load(item)
    with_debs([{**entry, "arch": "amd64"} if entry["name"] == "libc6" else entry for entry in whole])
    with pytest.raises(CardFault, match="is of armel and holds libc6 of another"):
        lock.load(item)
    with_debs([entry for entry in whole if entry["name"] != "libc6"])
    with pytest.raises(CardFault, match=r"needs libc6, not locked for pi-armv6"):
        lock.load(item)
