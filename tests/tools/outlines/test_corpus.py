"""Recall and precision by language, on the files of tests/corpus/outline that were labelled by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.one_call import carry, world
from tests.support.outlined import entries

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "outline"
LANGUAGES = sorted(folder.name for folder in CORPUS.iterdir() if folder.is_dir())
EXACT = ("markdown", "zig")
LEAST = 0.9
DEFINITIONS = 40


class Score(NamedTuple):
    """Labelled definitions, entries of the outline, and those that are both; what does not fit, in words."""

    wanted: int
    told: int
    both: int
    wrong: list[str]


def score(language: str, folder: Path) -> Score:
    """Outline every file of a language under its own name and compare."""
    wanted = told = both = 0
    wrong = []
    for file in sorted((CORPUS / language).glob("*.txt")):
        (folder / file.stem).write_bytes(file.read_bytes())
        left = entries(carry("outline", {"path": file.stem}, world(folder)).text)
        told += len(left)
        for row in file.with_suffix(".tsv").read_text("utf-8").splitlines():
            line, name = row.split("\t")
            wanted += 1
            found = next((entry for entry in left if entry[0] == int(line) and name in entry[2]), None)
            if found is None:
                wrong.append(f"{file.stem}:{line}: {name!r} is missing")
            else:
                both += 1
                left.remove(found)
        wrong += [f"{file.stem}:{line}: {text!r} is no definition" for line, _, text in left]
    return Score(wanted, told, both, wrong)


def test_the_corpus_holds_enough_of_every_language() -> None:
    assert len(LANGUAGES) >= 18
    for language in LANGUAGES:
        rows = sum(len(file.read_text("utf-8").splitlines()) for file in (CORPUS / language).glob("*.tsv"))
        assert rows >= DEFINITIONS, f"{language}: {rows}"
        assert len(list((CORPUS / language).glob("*.tsv"))) == len(list((CORPUS / language).glob("*.txt")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_nine_of_ten_definitions_are_told_and_nine_of_ten_entries_are_definitions(
    language: str, tmp_path: Path, this_run: Any
) -> None:
    found = score(language, tmp_path)
    recall, precision = found.both / found.wanted, found.both / max(1, found.told)
    this_run.notes.append(f"outline {language}: recall {recall:.3f}, precision {precision:.3f} of {found.wanted}")
    print(f"{language}: recall {recall:.3f}, precision {precision:.3f}", *found.wrong, sep="\n")
    least = 1.0 if language in EXACT else LEAST
    assert recall >= least and precision >= least, found.wrong
