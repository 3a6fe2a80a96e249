"""What the tests on emulated boards share: a board with a card of the built image in it, a shell on it.

These tests run only when they are asked for (`make hil`), so what they need and do not find is a failure, not a skip.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hil import card, opening
from hil.drivers.qemu import Machine
from hil.resources import named

PASSWORD = "fieldhand"
SHELL = r"# $"
# A command of a board's shell: that other one again and again until it succeeds, at most so many seconds' sleep.
UNTIL = "i=0; until {0} || [ $i -ge {1} ]; do sleep 1; i=$((i+1)); done; {0}"


@contextmanager
def inserted(machine: str, folder: Path, words: tuple[str, ...] = ()) -> Iterator[Machine]:
    """A board that is off, with a copy of its product's image in it; on a failure its console is printed. `words` are
    for its kernel."""
    with holding(machine, image(machine), folder, words) as found:
        yield found


def image(machine: str) -> Path:
    """The image of a board's product; the test fails where there is none."""
    product = named(machine).product
    found = card.image(product)
    if found is None:
        pytest.fail(f"there is no image of {product} in {card.images()}: `make images` builds it")
    return found


@contextmanager
def holding(
    machine: str,
    source: Path,
    folder: Path,
    words: tuple[str, ...] = (),
    more: tuple[str, ...] = (),
    drive: str = "",
) -> Iterator[Machine]:
    """The same with a copy of `source` in it, card.img in `folder`: an image, or the card of another board. `words`,
    `more` and `drive` as Machine has them."""
    copy = folder / "card.img"
    card.insert(source, copy)
    with opening.machine(named(machine), copy, words, more, drive) as found:
        try:
            yield found
        except BaseException:
            found.cut()
            print(f"--- the console of {machine} ---\n{found.transcript}")
            raise
        finally:
            for note in found.notes:
                print(f"\n{note}")
    copy.unlink()


def shell(machine: Machine, come: bool = True) -> None:
    """Log in as rescue. `come`: the login's prompt was used up already."""
    console = machine.console
    if not come:
        console.line("")
        console.expect(r"login: ")
    console.line("rescue")
    console.expect(r"Password: ")
    console.line(PASSWORD)
    console.expect(SHELL)
