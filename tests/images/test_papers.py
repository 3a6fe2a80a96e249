from __future__ import annotations

import hashlib
import json
import lzma
from pathlib import Path

import pytest

from edge.faults import CardFault
from edge.record import Record, replace
from images import copyrights, licences, lock, papers, pool, product
from tests.support.packages import DEP5, deb, wheel

KERNEL = "linux-image-6.1.0-toy"


class Made(Record):
    """A product with packages that exist, and what was locked of them."""

    product: product.Product
    lock: lock.Lock
    debs: dict[str, Path]
    wheels: list[Path]
    folder: Path


def _deb(folder: Path, name: str, text: str, links: dict[str, str] | None = None, common: bytes = b"") -> lock.Deb:
    files = {f"usr/share/doc/{name}/copyright": text.encode()} if text else {}
    if common:
        files["usr/share/common-licenses/GPL-2"] = common
    path = deb(folder / f"{name}_1%2b2_armel.deb".replace("%2b", "+"), f"Package: {name}\n", files, links)
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    names = copyrights.names_in(text)
    return lock.Deb(
        name=name,
        version="1:1+2",
        arch="armel",
        size=len(data),
        sha256=digest,
        source=f"{name}-src",
        source_version="1:1",
        component="main",
        archive="debian",
        path=f"pool/{path.name}",
        security="current",
        needs=(),
        licences=names,
    )


@pytest.fixture()
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    monkeypatch.setattr(copyrights.terms, "__defaults__", (tmp_path / "terms",))
    folder = tmp_path / "pool"
    text = DEP5.format(licence="GPL-2+ or Odd-1")
    debs = (
        _deb(folder, "a", text),
        replace(_deb(folder, "b", "", {"usr/share/doc/b": "a"}), needs=("a",), security="behind: arm64 has 2"),
        _deb(folder, KERNEL, "Old words without a form.\n"),
        _deb(folder, "raspi-firmware", DEP5.format(licence="Boot")),
    )
    shelf = [wheel(folder, "top", "1.0", ("leaf",)), wheel(folder, "leaf", "2.0")]
    wheels = tuple(
        lock.Wheel(name, version, path.name, path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest(),
                   ("3.11",), needs, terms)
        for (name, version, needs, terms), path in zip(
            (("top", "1.0", ("leaf",), ("MIT",)), ("leaf", "2.0", (), ("Apache-2.0 OR MIT",))), shelf)
    )  # fmt: skip
    indexes = (
        lock.Index("bookworm", "main", "armel", 1700000000, "read"),
        lock.Index("bookworm-security", "main", "armel", 1700000000, "not offered"),
        lock.Index("bookworm-security", "main", "arm64", 0, "failed: of another size"),
    )
    texts = (_deb(folder, "base-files", DEP5.format(licence="GPL-2"), common=b"The text of the GPL\n"),)
    locked = lock.Lock("bookworm", "armel", 1700000000, indexes, debs, texts, wheels)
    item = replace(product.load("pi-armv6"), packages=("a", "b"), kernel=KERNEL, wheels=("top",))
    files = pool.here([pool.Wanted(one.name, one.file, one.size, one.sha256) for one in debs], [folder], tmp_path)
    (tmp_path / "LICENSE").write_text("Our own terms\n")
    return Made(item, locked, files, shelf, tmp_path)


def write(made: Made, into: str = "results") -> dict[str, bytes]:
    folder = made.folder / into
    folder.mkdir()
    (folder / "x.img.zst").write_bytes(b"0" * 1500)
    papers.write(
        made.product, made.lock, "0.1+x", made.debs, made.wheels, made.folder, [("python", 5_000_000)], folder,
        [made.folder / "pool"],
    )  # fmt: skip
    return {name: (folder / name).read_bytes() for name in papers.NAMES}


def test_the_same_lock_gives_the_same_papers(made: Made) -> None:
    assert write(made, "one") == write(made, "two")


def test_the_terms_of_everything_stand_in_one_text(made: Made) -> None:
    text = lzma.decompress(write(made)["licences.txt.xz"]).decode()
    for words in ("Our own terms", "Old words without a form.", "Terms of top", "Terms of leaf", "The text of the GPL"):
        assert text.count(words) == 1, words
    assert "As a above." in text.partition("\nb 1:1+2 ")[2][:250]
    assert licences.firmware(made.lock, made.debs).startswith("Format: ")


def test_a_package_without_terms_is_not_passed_on(made: Made) -> None:
    bare = deb(made.folder / "bare_1_armel.deb", "Package: bare\n", {"usr/bin/bare": b"x"})
    entry = replace(made.lock.debs[0], name="bare", sha256="f" * 64)
    locked = replace(made.lock, debs=(*made.lock.debs, entry))
    with pytest.raises(CardFault, match="no terms are known for bare"):
        files = {**made.debs, "bare": bare}
        texts = pool.fetch_texts(locked, [made.folder / "pool"])
        licences.collect(made.product, locked, files, texts, made.wheels, made.folder)


# --- the bill of materials, held to what CycloneDX 1.5 asks for ---

TOP = {"$schema", "bomFormat", "specVersion", "serialNumber", "version", "metadata", "components", "dependencies"}
COMPONENT = {"type", "bom-ref", "name", "version", "supplier", "hashes", "licenses", "purl", "properties"}
TYPES = {"application", "library", "operating-system", "firmware"}


def bill(made: Made) -> dict:  # type: ignore[type-arg]
    return json.loads(write(made)["sbom.json"])  # type: ignore[no-any-return]


def test_the_bill_has_the_fields_of_its_form_and_no_others(made: Made) -> None:
    found = bill(made)
    assert set(found) == TOP
    assert (found["bomFormat"], found["specVersion"], found["version"]) == ("CycloneDX", "1.5", 1)
    serial = found["serialNumber"]
    assert serial.startswith("urn:uuid:") and [len(part) for part in serial[9:].split("-")] == [8, 4, 4, 4, 12]
    assert found["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
    assert found["metadata"]["component"]["name"] == "pi-armv6"
    for one in found["components"]:
        assert set(one) <= COMPONENT and {"type", "name", "version", "purl", "bom-ref"} <= set(one)
        assert one["type"] in TYPES
        for digest in one.get("hashes", []):
            assert digest["alg"] == "SHA-256" and len(digest["content"]) == 64
        for entry in one["licenses"]:
            assert list(entry) in (["license"], ["expression"])
            assert "license" not in entry or list(entry["license"]) in (["id"], ["name"])


def test_the_bill_names_everything_that_is_in_the_image(made: Made) -> None:
    found = {one["name"]: one for one in bill(made)["components"]}
    assert set(found) == {"fieldhand", "a", "b", KERNEL, "raspi-firmware", "top", "leaf"}
    assert found["a"]["purl"] == "pkg:deb/debian/a@1%3A1%2B2?arch=armel&distro=bookworm"
    assert found["top"]["purl"] == "pkg:pypi/top@1.0"
    assert (found[KERNEL]["type"], found["raspi-firmware"]["type"]) == ("operating-system", "firmware")
    assert found["a"]["licenses"] == [{"license": {"id": "GPL-2.0-or-later"}}, {"license": {"name": "Odd-1"}}]
    assert found[KERNEL]["licenses"] == [{"license": {"name": f"see usr/share/doc/{KERNEL}/copyright"}}]
    assert found["leaf"]["licenses"] == [{"expression": "Apache-2.0 OR MIT"}]
    assert {"name": "fieldhand:security", "value": "behind: arm64 has 2"} in found["b"]["properties"]


def test_the_bill_says_who_needs_whom_and_every_reference_holds(made: Made) -> None:
    found = bill(made)
    refs = [one["bom-ref"] for one in found["components"]] + [found["metadata"]["component"]["bom-ref"]]
    rows = {row["ref"]: row["dependsOn"] for row in found["dependencies"]}
    assert len(set(refs)) == len(refs) and set(rows) == set(refs)
    assert {ref for needs in rows.values() for ref in needs} <= set(refs)
    assert rows["pkg:pypi/top@1.0"] == ["pkg:pypi/leaf@2.0"]


def test_the_serial_number_changes_with_the_content(made: Made) -> None:
    one = bill(made)["serialNumber"]
    newer = replace(made.lock, debs=(replace(made.lock.debs[0], version="2"), *made.lock.debs[1:]))
    (made.folder / "results").rename(made.folder / "before")
    assert bill(replace(made, lock=newer))["serialNumber"] != one


@pytest.mark.parametrize("name", product.names())
def test_every_id_of_a_licence_stands_in_the_table(name: str) -> None:
    from images import sbom

    text = json.loads(sbom.make(product.load(name), lock.load(product.load(name)), "1"))
    ids = [
        entry["license"]["id"]
        for one in text["components"]
        for entry in one["licenses"]
        if "id" in entry.get("license", {})
    ]
    assert len(ids) > 20 and set(ids) <= set(sbom.SPDX.values())


# --- the notes ---


def test_the_notes_say_what_is_inside_how_large_and_how_old(made: Made) -> None:
    text = write(made)["notes.txt"].decode()
    assert "pi-armv6 0.1+x: Raspberry Pi Zero" in text and "as of 2023-11-14, Python 3.11, Linux 6.1.0-toy" in " ".join(
        text.split()
    )
    assert "python                                       5.0 MB" in text and "x.img.zst" in text and "1.5 kB" in text
    assert "b-src                here 1:1; behind: arm64 has 2" in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_notes_name_the_lists_that_are_missing(made: Made) -> None:
    text = " ".join(write(made)["notes.txt"].decode().split())
    assert (
        "bookworm-security main has no packages for armel at all: security updates for it come late or never." in text
    )
    assert "for arm64 could not be read (of another size): the comparison may be too kind." in text


def test_the_notes_say_what_a_target_lacks_and_claim_no_size_from_the_choice_of_tools(made: Made) -> None:
    text = " ".join(write(made)["notes.txt"].decode().split())
    assert "What this target lacks - hardware floating point" in text
    assert "starts with the full catalogue" in text and "the choice says nothing about its size" in text
    assert "Settings on a board cannot add what was left out" in text and "image build FILE.toml" in text
    assert "This target is required" in text
    small = replace(made, product=replace(made.product, tools="minimal", release="experimental", lacks=()))
    (made.folder / "results").rename(made.folder / "before")
    other = " ".join(write(small)["notes.txt"].decode().split())
    assert "[tools] optional = []" in other and "may be missing from a release" in other and "target lacks" not in other
