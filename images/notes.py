"""notes.txt: what an image is, for people who decide whether to flash it.

Rules:
1. What is said comes from the product, the lock and the build; nothing is promised that was not looked at.
2. How a version stands is said per architecture: against the newest of its source that other architectures are
   offered, at the date of the lock. Lists that could not be read are named.
3. The choice of tools is one of the catalogue. No size is claimed from it: every image holds the code of all tools.
"""

from __future__ import annotations

import textwrap
from datetime import datetime, timezone

from images import lock
from images.progress import amount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from images.lock import Index, Lock
    from images.product import Product

WIDTH = 100
_LIST = "  - "


def make(
    product: Product,
    locked: Lock,
    version: str,
    parts: Sequence[tuple[str, int]] = (),
    results: Sequence[tuple[str, int]] = (),
) -> str:
    """The text. `parts` are what the root is made of, `results` the files of the build, each with its bytes."""
    sections = [
        _head(product, locked, version),
        _sizes(parts, results),
        _inside(product, locked),
        _versions(locked),
        _lacks(product),
        _tools(product),
        _others(product),
    ]
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def _wrap(text: str, first: str = "", rest: str = "") -> list[str]:
    lines = textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False)
    return lines or [first]


def _head(product: Product, locked: Lock, version: str) -> list[str]:
    day = datetime.fromtimestamp(locked.epoch, timezone.utc).strftime("%Y-%m-%d")
    role = "is part of every release" if product.release == "required" else "may be missing from a release"
    return [
        f"{product.name} {version}: {product.title}",
        "",
        *_wrap(
            f"Debian {product.suite} {product.arch} as of {day}, Python {product.python}, "
            f"Linux {lock.release(locked)}. This target is {product.release}: it {role}."
        ),
        *_wrap(f"Boards: {', '.join(product.machines)}.", "", "  "),
    ]


def _sizes(parts: Sequence[tuple[str, int]], results: Sequence[tuple[str, int]]) -> list[str]:
    lines = ["Sizes"] if parts or results else []
    for title, rows in (("the root, before compression", parts), ("files", results)):
        if rows:
            lines.append(f"  {title}:")
            lines += [f"    {name:<40} {amount(size):>10}" for name, size in rows]
    return lines


def _inside(product: Product, locked: Lock) -> list[str]:
    lines = [f"Packages of Debian ({len(locked.debs)}) and libraries of Python ({len(locked.wheels)})"]
    lines += [f"  {deb.name:<36} {deb.version}" for deb in locked.debs]
    lines += [f"  {wheel.name:<36} {wheel.version} (Python)" for wheel in locked.wheels]
    if product.without:
        lines.append("Asked for by these, and left out:")
        for name, reason in sorted(product.without.items()):
            lines += _wrap(f"{name}: {reason}", _LIST, "    ")
    return lines


def _versions(locked: Lock) -> list[str]:
    """Which sources are behind, and which lists could not be read."""
    behind = {deb.source: deb for deb in locked.debs if deb.security != lock.CURRENT}
    lines = [f"Security: {locked.arch} against the other architectures of {locked.suite}"]
    if not behind:
        lines += _wrap("No source is behind what other architectures are offered.", "  ", "  ")
    for name, deb in sorted(behind.items()):
        lines.append(f"  {name:<20} here {deb.source_version}; {deb.security}")
    lines += [line for index in locked.indexes for line in _unread(index, locked.arch)]
    return lines


def _unread(index: Index, arch: str) -> list[str]:
    """A warning for a list that is not offered or was not read; what is empty has nothing to say."""
    if index.state in ("read", "empty"):
        return []
    if index.state == "not offered":
        text = f"{index.suite} {index.component} has no packages for {index.arch} at all"
        text += ": security updates for it come late or never." if index.suite.endswith("-security") else "."
    else:
        text = f"{index.suite} {index.component} for {index.arch} could not be read ({index.state[8:]})"
        missed = "newer packages may exist" if index.arch == arch else "the comparison may be too kind"
        text += f": {missed}."
    return _wrap(text, "  ! ", "    ")


def _lacks(product: Product) -> list[str]:
    lines = ["What this target lacks"] if product.lacks else []
    for text in product.lacks:
        lines += _wrap(text, _LIST, "    ")
    return lines


def _tools(product: Product) -> list[str]:
    start = (
        "The image starts with the full catalogue: every tool that its board can serve."
        if product.tools == "full"
        else "The image starts with the base tools alone: its settings begin with [tools] optional = []."
    )
    rest = (
        "That is a choice of what the model is shown, made in /data/config/config.toml ([tools] optional) and changed "
        "there at any time. The code of every tool is in the image either way: the choice says nothing about its size."
    )
    return ["Tools", *_wrap(start, "  ", "  "), *_wrap(rest, "  ", "  ")]


def _others(product: Product) -> list[str]:
    text = (
        "Settings on a board cannot add what was left out when its image was made. For another choice of packages or "
        "libraries copy the product's file, change `packages`, `wheels` or `without`, then run "
        "`fieldhand image lock update FILE.toml` and `fieldhand image build FILE.toml`: from the same sources, for the "
        "target that the file names. A board that runs another system takes the same libraries by pip from our wheel "
        "(`fieldhand[git]`), in an environment of its own beside what is installed there, with settings of its own."
    )
    return ["Another selection", *_wrap(text, "  ", "  ")]
