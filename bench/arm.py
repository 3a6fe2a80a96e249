"""How much work a start is on the boards' processors: the interpreter and the agent of the built images, emulated.

What is counted: instructions of a whole run, by QEMU's user mode (bench/counter.py), without those of the kernel. The
anchor starts and ends; the agent is started as the login of a card starts it, its sh launcher included, with the card's
settings and a folder for its state, shows its prompt on a terminal, and ends there by end of file.

Python hashes strings by chance and cannot be told otherwise under `-I`: the figures repeat to about 0.2 %.
"""

from __future__ import annotations

import functools
import shutil
import tempfile
from pathlib import Path

from bench import counter, forms, prompt, scratch, start
from bench.harness import Absent, Target
from edge.faults import CardFault
from hil import card, release
from images import agent, arches, product, user_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.harness import Measure

TITLE = "Start on three architectures"
UNIT = "million instructions"
ROUNDS = 3
WARM = True

PRODUCTS = ("pi-armv6", "pi-armv7", "pi-arm64")
BARE, AGENT = "python3 -I -S -c pass", "fieldhand at its prompt"
TARGETS = {f"{name}: {AGENT}": (Target(ratio=1.5, anchor=f"{name}: {BARE}"),) for name in PRODUCTS}
SETTINGS = "etc/fieldhand/config.toml"


def tree(name: str) -> Path:
    """The root of the newest image of a product, unpacked below .cache in the place of older ones. Absent without."""
    image = card.image(name)
    if image is None:
        raise Absent(f"there is no image of {name} in {card.images()}: `make images` builds it")
    cache = Path(forms.ROOT, ".cache", "roots")
    known = image.stat()
    wanted = cache / f"{name}-{known.st_size}-{known.st_mtime_ns}"
    if not wanted.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        for old in cache.glob(f"{name}-*"):
            shutil.rmtree(old)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            try:
                card.insert(image, Path(folder, "card.img"))
                release.root(Path(folder, "card.img"), Path(folder)).rename(wanted)
            except CardFault as fault:
                raise Absent(f"the image of {name} cannot be unpacked: {fault}") from fault
    return wanted


class Board:
    """The programs of one image on this machine, each run with its instructions counted."""

    def __init__(self, name: str, folder: Path) -> None:
        self.tree = tree(name)
        self.home, self.counts = folder / "home", folder / "counts"
        (self.home / "state").mkdir(parents=True, mode=0o700)
        made = product.load(name)
        arch = arches.named(made.arch)
        self.words = counter.words(self.tree, arch, self.counts)
        programs = user_mode.stage(self.tree, arch, made.python, folder, self.words)
        self.python, self.script = str(programs / "python3"), str(programs / "fieldhand")
        Path(self.script).write_bytes((self.tree / agent.START).read_bytes())
        self.shell = self._launcher()

    def bare(self) -> float:
        """The interpreter alone."""
        return self.through([self.python, "-I", "-S", "-c", "pass"])

    def agent(self) -> float:
        """The agent up to its prompt and to its end, the shell before it included."""
        settings, state = str(self.tree / SETTINGS), str(self.home / "state")
        words = ["--config", settings, "--state", state, "--board", "sim"]
        prompt.visit(["/bin/sh", self.script, *words], str(self.home))
        return counter.told(self.counts) + self.shell

    def through(self, argv: Sequence[str]) -> float:
        """A program that ends by itself."""
        start.through(argv, str(self.home))
        return counter.told(self.counts)

    def _launcher(self) -> float:
        without = start.without_exec(self.script, b'exec "${0%/*}/python3"')
        return self.through([*self.words, str(self.tree / "usr/bin/sh"), without])


def rows() -> list[tuple[str, Measure]]:
    """Two rows for each image; one that is not there is absent."""
    folder = scratch.folder()
    boards = functools.lru_cache(None)(lambda name: Board(name, Path(folder, name)))
    made: list[tuple[str, Measure]] = []
    for name in PRODUCTS:
        made += [
            (f"{name}: {BARE}", lambda name=name: boards(name).bare()),
            (f"{name}: {AGENT}", lambda name=name: boards(name).agent()),
        ]
    return made
