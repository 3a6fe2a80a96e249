"""What a build made, for a person and as JSON: the parts with their sizes, the steps with their times, the results.

Rules:
1. Sizes are bytes; a person sees them in MB (10^6) as cards are sold, the bound of an image in MiB as it is written.
2. The JSON is one object on stdout; the keys are stable.
"""

from __future__ import annotations

from collections.abc import Sequence

from edge.faults import CardFault
from edge.record import Record

LIMIT = 32 * 1024 * 1024


class Row(Record):
    """One line of a table: a name, its bytes, and a remark."""

    name: str
    bytes: int
    remark: str = ""


class Built(Record):
    """What came out: `parts` of the root tree and of the slot, `times` of the steps in seconds, `results` with their
    sha256 as remark; `said` are sentences a person must read."""

    product: str
    version: str
    folder: str
    parts: tuple[Row, ...]
    times: tuple[tuple[str, float], ...]
    results: tuple[Row, ...]
    said: tuple[str, ...] = ()


def small_enough(name: str, size: int, limit: int = LIMIT) -> None:
    """CardFault when the compressed image is larger than what the project allows itself."""
    if size > limit:
        raise CardFault(
            f"{name} is {size / 1024 / 1024:.2f} MiB, at most {limit / 1024 / 1024:.0f} MiB are allowed",
            "take packages or modules out of the product: the table above names the large parts",
        )


def table(rows: Sequence[Row], title: str) -> list[str]:
    """Rows as aligned lines below a title."""
    width = max([len(row.name) for row in rows] + [len(title)])
    lines = [f"{title:<{width}}        MB"]
    for row in rows:
        lines.append(f"{row.name:<{width}}  {row.bytes / 1e6:8.2f}  {row.remark}".rstrip())
    return lines


def text(built: Built) -> str:
    """The whole report for a person."""
    lines = [f"{built.product} {built.version}: {built.folder}", ""]
    lines += [*table(built.parts, "parts"), ""]
    lines += [f"{'steps':<22}  seconds"]
    lines += [f"{name:<22} {seconds:8.1f}" for name, seconds in built.times]
    lines += [f"{'all':<22} {sum(seconds for _, seconds in built.times):8.1f}", ""]
    lines += table(built.results, "results")
    image = next((row for row in built.results if row.name.endswith(".img.zst")), None)
    if image is not None:
        lines += ["", f"{image.name}: {image.bytes / 1024 / 1024:.2f} MiB of {LIMIT // 1024 // 1024} MiB"]
    return "\n".join([*lines, *built.said])


def as_json(built: Built) -> str:
    """The report as one JSON object."""
    import json

    return json.dumps(
        {
            "product": built.product,
            "version": built.version,
            "folder": built.folder,
            "limit": LIMIT,
            "parts": [{"name": row.name, "bytes": row.bytes} for row in built.parts],
            "seconds": {name: round(seconds, 2) for name, seconds in built.times},
            "results": [{"name": row.name, "bytes": row.bytes, "sha256": row.remark} for row in built.results],
            "said": list(built.said),
        },
        indent=1,
    )
