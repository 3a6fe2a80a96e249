from __future__ import annotations

from pathlib import Path

import pytest

from edge import toml
from edge.faults import ConfigFault, UsageFault
from images import product

TEXT = """title = "A board"
suite = "bookworm"
arch = "armhf"
python = "3.11"
kernel = "linux-image-armmp"
machines = ["bcm2836-rpi-2-b"]
packages = ["busybox-static"]
"""


def read(text: str) -> product.Product:
    return product.read(text, Path("mine.toml"))


def test_the_products_of_the_checkout_are_three_and_required() -> None:
    assert product.names() == ["pi-arm64", "pi-armv6", "pi-armv7"]
    assert {product.load(name).release for name in product.names()} == {"required"}
    assert {product.load(name).tools for name in product.names()} == {"full"}


def test_every_product_says_what_its_target_lacks() -> None:
    assert all(product.load(name).lacks for name in product.names())
    assert any("Raspberry Pi 5" in text for text in product.load("pi-arm64").lacks)


def test_a_file_of_the_users_own_is_a_product(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(TEXT + 'lock = "mine.json"\n')
    one = product.load(str(path))
    assert (one.name, one.arch, one.tools, one.release) == ("mine", "armhf", "full", "experimental")
    assert one.lock == tmp_path / "mine.json" and one.place == path
    assert one.roots == ("busybox-static", "linux-image-armmp")


WRONG = [
    ('packges = ["a"]\n', "mine.toml:8: packges is no key of a product (did you mean packages?)"),
    ("tools = 3\n", "mine.toml:8: tools is 3, not text"),
    ('tools = "some"\n', "tools is 'some' (it is one of: full, minimal)"),
    ('release = "maybe"\n', "mine.toml:8: release is 'maybe'"),
    ("wheels = [1]\n", "mine.toml:8: wheels is not a list of texts"),
    ('wheels = "httpx"\n', "wheels is not a list of texts"),
    ('uboot = "rpi"\n', "mine.toml:8: uboot is not a table"),
    ("[without]\ntar = 3\n", "mine.toml:9: without.tar is not text"),
    ('name = "../a"\n', "'../a' is no name for a product"),
    ('python = "3.11"\n', "mine.toml"),
]


@pytest.mark.parametrize(("line", "sentence"), WRONG)
def test_what_is_wrong_is_told_with_its_line(line: str, sentence: str) -> None:
    with pytest.raises(ConfigFault) as caught:
        read(TEXT + line)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("key", ["suite", "arch", "python", "kernel", "machines", "packages"])
def test_what_is_missing_is_told_by_its_key(key: str) -> None:
    text = "".join(line for line in TEXT.splitlines(True) if not line.startswith(key))
    with pytest.raises(ConfigFault, match=f"the product has no {key}"):
        read(text)


def test_a_version_of_python_has_two_numbers() -> None:
    with pytest.raises(ConfigFault, match="major and minor"):
        read(TEXT.replace('"3.11"', '"three"'))


def test_an_unknown_name_is_told_with_a_near_one() -> None:
    with pytest.raises(UsageFault, match="did you mean pi-armv6"):
        product.load("pi-armv66")
    with pytest.raises(ConfigFault, match="cannot read the product"):
        product.load("nowhere/mine.toml")


def test_minimal_is_a_setting_of_the_catalogue() -> None:
    minimal, full = read(TEXT + 'tools = "minimal"\n'), read(TEXT)
    own = '[model]\nname = "offline"\n\n[tools]\noptional = ["*"]\ntimeout_ms = 5\n'
    assert product.settings(own, full) == own
    made = product.settings(own, minimal)
    assert made.splitlines()[3:5] == ["[tools]", "optional = []  # the base tools alone; name others here"]
    assert "timeout_ms = 5" in made and '"*"' not in made
    assert product.settings("[model]\n", minimal).endswith(
        "\n[tools]\noptional = []  # the base tools alone; name others here\n"
    )


def test_the_settings_that_an_image_begins_with_take_the_choice() -> None:
    text = (Path(product.__file__).parent / "board/root/etc/fieldhand/config.toml").read_text("utf-8")
    before = toml.load(text, "config.toml")[0]
    after = toml.load(product.settings(text, read(TEXT + 'tools = "minimal"\n')), "config.toml")[0]
    assert before["tools"]["optional"] == ["*"] and after["tools"]["optional"] == []
    assert after["model"] == before["model"]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('name = "pr\u00fcf"', "name"),
        (f'name = "{"x" * 65}"', "name"),
        ('name = "-x"', "name"),
        ('suite = "trixie main"', "suite"),
        ('suite = "../x"', "suite"),
        ('kernel = "-o"', "kernel"),
        ('machines = ["bcm2835-rpi-zero", "a/b"]', "machines"),
        ('packages = ["--allow-downgrades"]', "packages"),
        ('texts = ["base files"]', "texts"),
    ],
)
def test_what_cannot_stand_in_a_manifest_or_a_command_is_told_before_a_build(line: str, key: str) -> None:
    own = (product.PRODUCTS / "pi-armv6.toml").read_text("utf-8")
    top, mark, tables = own.partition("\n[")
    rows, inside = [], False
    for row in top.split("\n"):
        inside = inside or row.partition("=")[0].strip() == key
        rows += [] if inside else [row]
        inside = inside and not row.rstrip().endswith(("]", '"'))
    with pytest.raises(ConfigFault, match=r"is no (plain word|name for a product)") as told:
        product.read("\n".join([*rows, line]) + mark + tables, product.PRODUCTS / "pi-armv6.toml")
    assert told.value.key == key
