"""Products: what an image is made of, as TOML. `images/products/NAME.toml`, or a file of the user's own.

Rules:
1. A wrong key, type or value is a ConfigFault that names file, line and, for keys, a near name.
2. Nothing is guessed: suite, architecture and Python stand in the file. What has one useful value for nearly
   everybody has a default here.
3. A path in a product is relative to its file.
"""

from __future__ import annotations

from pathlib import Path

from edge import toml
from edge.card.manifest import is_word
from edge.faults import ConfigFault, UsageFault
from edge.record import Record
from edge.schema import near
from images.arches import ARCHES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HERE = Path(__file__).resolve().parent
PRODUCTS = HERE / "products"
LOCKS = HERE / "lock"

TOOLS = ("full", "minimal")
RELEASES = ("required", "experimental")


class Product(Record):
    """One image.

    `packages` are the roots of the resolution; `without` maps packages and wheels that these would bring, and that the
    image does not hold, to the reason. `release` says whether a release has to have it. `machines` are the boards, by
    the names of their device trees;
    `uboot` maps a filter of config.txt to a target of u-boot-rpi. `emulated` and `cpu` are what QEMU calls the board
    and its processor. `lock` is the lock file, `place` the file that all this stood in.
    """

    name: str
    title: str
    suite: str
    arch: str
    python: str
    kernel: str
    machines: tuple[str, ...]
    uboot: dict[str, str]
    packages: tuple[str, ...]
    release: str
    without: dict[str, str]
    wheels: tuple[str, ...]
    tools: str
    keys: tuple[str, ...]
    lacks: tuple[str, ...]
    emulated: str
    cpu: str
    texts: tuple[str, ...]
    lock: Path
    place: Path

    @property
    def roots(self) -> tuple[str, ...]:
        """The packages that the tree begins with: sorted, the kernel among them. What they need comes in too."""
        return tuple(sorted({*self.packages, self.kernel}))


_TEXT = ("title", "suite", "arch", "python", "kernel", "emulated", "cpu", "tools", "lock", "name", "release")
_LISTS = ("machines", "packages", "wheels", "keys", "lacks", "texts")
_TABLES = ("uboot", "without")
_NEEDED = ("title", "suite", "arch", "python", "kernel", "machines", "packages")


def names() -> list[str]:
    """The products of this checkout."""
    return sorted(path.stem for path in PRODUCTS.glob("*.toml"))


def load(name: str) -> Product:
    """The product of this name, or the one that this file holds (a name with a slash or the ending `.toml`)."""
    if "/" in name or name.endswith(".toml"):
        path = Path(name)
    elif name in names():
        path = PRODUCTS / f"{name}.toml"
    else:
        close = near(name, names())
        fix = f"did you mean {close}?" if close else f"there are {', '.join(names())}; a file ends in .toml"
        raise UsageFault(f"there is no product {name!r}", fix)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        why = fault.strerror or "unknown" if isinstance(fault, OSError) else "it is no text in UTF-8"
        raise ConfigFault(f"cannot read the product: {why.lower()}", "name a TOML file", str(path)) from fault
    return read(text, path)


def read(text: str, path: Path) -> Product:
    """The product in this text; `path` gives its name, its folder and the place for faults."""
    data, lines = toml.load(text, str(path))
    checked = _Checked(data, lines, str(path))
    checked.keys()
    arch = checked.one_of("arch", tuple(ARCHES))
    lock = checked.text("lock", "")
    return Product(
        name=_file_name(checked, checked.text("name", path.stem)),
        title=checked.text("title", ""),
        suite=_words(checked, "suite", (checked.text("suite", ""),))[0],
        arch=arch,
        python=_python(checked),
        kernel=_words(checked, "kernel", (checked.text("kernel", ""),))[0],
        machines=_words(checked, "machines", checked.texts("machines")),
        uboot=checked.table("uboot"),
        packages=_words(checked, "packages", checked.texts("packages")),
        release=checked.one_of("release", RELEASES, RELEASES[1]),
        without=checked.table("without"),
        wheels=checked.texts("wheels"),
        tools=checked.one_of("tools", TOOLS, "full"),
        keys=checked.texts("keys"),
        lacks=checked.texts("lacks"),
        emulated=checked.text("emulated", ""),
        cpu=checked.text("cpu", ""),
        texts=_words(checked, "texts", checked.texts("texts", ("base-files",))),
        lock=path.parent / lock if lock else LOCKS / f"{checked.text('suite', '')}-{arch}.json",
        place=path,
    )


def settings(text: str, product: Product) -> str:
    """The settings that an image begins with, for the choice of tools of its product: `[tools] optional = []`.

    The code of all tools is in the image all the same; the choice is one of the catalogue, not of size.
    """
    if product.tools != "minimal":
        return text
    choice = "optional = []  # the base tools alone; name others here"
    lines, inside, done = [], False, False
    for line in text.rstrip().split("\n"):
        if line.startswith("["):
            inside = line.startswith("[tools]")
        if inside and line.partition("=")[0].strip() == "optional":
            continue
        lines.append(line)
        if inside and not done:
            lines.append(choice)
            done = True
    if not done:
        lines += ["", "[tools]", choice]
    return "\n".join(lines) + "\n"


def _python(checked: _Checked) -> str:
    """3.11, not 3.11.2: what the names of Debian's packages and the folders of the library carry."""
    version = checked.text("python", "")
    major, _, minor = version.partition(".")
    if not (major.isdecimal() and minor.isdecimal()):
        raise checked.fault("python", f"python is {version!r}", 'write major and minor version, as in "3.11"')
    return version


def _file_name(checked: _Checked, name: str) -> str:
    """The name becomes part of file names and of the manifest."""
    if not is_word(name) or name[0] == "-":
        raise checked.fault("name", f"{name!r} is no name for a product", "use letters, digits, - and _, at most 64")
    return name


def _words(checked: _Checked, key: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """What becomes part of the manifest, a command line or a file name: plain words, told before a build begins."""
    for value in values:
        if not is_word(value) or value[0] == "-":
            raise checked.fault(key, f"{key}: {value!r} is no plain word", "letters, digits and -_.+~, at most 64")
    return values


class _Checked:
    """Values of one file by key and kind; every refusal is a ConfigFault with the line."""

    def __init__(self, data: dict[str, Any], lines: dict[str, int], name: str) -> None:
        self._data, self._lines, self._name = data, lines, name

    def fault(self, key: str, sentence: str, fix: str) -> ConfigFault:
        line = self._lines.get(key)
        return ConfigFault(sentence, fix, f"{self._name}:{line}" if line else self._name, key)

    def keys(self) -> None:
        """No unknown key, none missing."""
        known = (*_TEXT, *_LISTS, *_TABLES)
        for key in self._data:
            if key not in known:
                close = near(key, known)
                raise self.fault(
                    key, f"{key} is no key of a product", f"did you mean {close}?" if close else "remove it"
                )
        for key in _NEEDED:
            if not self._data.get(key):
                raise self.fault(key, f"the product has no {key}", f"add {key} = ...")

    def text(self, key: str, default: str) -> str:
        value = self._data.get(key, default)
        if not isinstance(value, str):
            raise self.fault(key, f"{key} is {value!r}, not text", "write it in quotation marks")
        return value

    def one_of(self, key: str, choices: tuple[str, ...], default: str = "") -> str:
        value = self.text(key, default)
        if value not in choices:
            raise self.fault(key, f"{key} is {value!r}", f"it is one of: {', '.join(choices)}")
        return value

    def texts(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        value = self._data.get(key, default)
        if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) and item for item in value):
            raise self.fault(key, f"{key} is not a list of texts", f'write {key} = ["...", "..."]')
        return tuple(value)

    def table(self, key: str) -> dict[str, str]:
        value = self._data.get(key, {})
        if not isinstance(value, dict):
            raise self.fault(key, f"{key} is not a table", f"write [{key}] and one line for each entry")
        for name, item in value.items():
            if not isinstance(item, str) or not item:
                raise self.fault(f"{key}.{name}", f"{key}.{name} is not text", "write it in quotation marks")
        return dict(value)
