"""`image build --twice`: the same build once more by a builder that differs in all it can, and both compared.

Rules:
1. The second builder is a process of its own: another folder, another umask, another time zone and language, a
   SOURCE_DATE_EPOCH that nobody asked for, nothing compiled before. Nothing of that may come into a result.
2. What is compared is every file of the results by its sha256. The files of the second build go afterwards.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from edge.faults import CardFault
from images import workplace
from images.report import Row

ROOT = Path(__file__).resolve().parent.parent
OTHER = {"TZ": "Asia/Kathmandu", "LANG": "de_DE.UTF-8", "SOURCE_DATE_EPOCH": "86400", "PYTHONHASHSEED": "7"}
UMASK = 0o077


def again(words: Sequence[str], out: Path, results: Sequence[Row]) -> str:
    """Build once more with these words of the command line; a sentence when all is equal, else CardFault with names."""
    with workplace.place(out, keep=False) as folder:
        child = [
            sys.executable,
            "-m",
            "images",
            "build",
            *words,
            "--out",
            str(Path(folder, "other")),
            "--json",
            "--fresh",
        ]
        ran = subprocess.run(
            child, cwd=ROOT, env={**os.environ, **OTHER}, umask=UMASK, stdout=subprocess.PIPE, check=False
        )
    if ran.returncode:
        raise CardFault("the second build failed, see above")
    return compared(results, {row["name"]: row["sha256"] for row in json.loads(ran.stdout)["results"]})


def compared(results: Sequence[Row], others: dict[str, str]) -> str:
    """A sentence when the two builds are equal; CardFault names files that are not, and those of one build alone."""
    first = {row.name: row.remark for row in results}
    kinds = {
        "files that differ": {name for name in first if first[name] != others.get(name, first[name])},
        "files of the first build alone": first.keys() - others.keys(),
        "files of the second build alone": others.keys() - first.keys(),
    }
    wrong = [f"{kind}: {', '.join(sorted(names))}" for kind, names in kinds.items() if names]
    if wrong:
        raise CardFault(f"two builds are not the same; {'; '.join(wrong)}", "something of the builder came in: find it")
    return f"built twice, {len(first)} files equal"
