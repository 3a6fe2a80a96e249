"""A table of a web page, put together from its tags: rows of cells, then lines of Markdown.

Rules:
1. A table with one column, or one row, lays a page out: its cells are lines of text.
2. A row has at most CELLS cells; what would be in later ones is in the last. A table in a cell is text of that cell.
"""

from __future__ import annotations

CELLS = 64


class Table:
    """`depth`: how many tables are open, one in the other; 0 for none."""

    def __init__(self) -> None:
        self.depth = 0
        self._rows: list[list[list[str]]] = []

    def row(self) -> None:
        """A new row begins."""
        self._rows.append([])

    def cell(self) -> None:
        """A new cell begins, with a row where there is none yet."""
        if not self._rows:
            self.row()
        if len(self._rows[-1]) < CELLS:
            self._rows[-1].append([])

    def say(self, words: str) -> None:
        """What stands in the cell that began last."""
        if words:
            if not self._rows or not self._rows[-1]:
                self.cell()
            self._rows[-1][-1].append(words)

    def lines(self, most: int) -> list[str]:
        """The whole table, which is empty then; it ends with the line that goes beyond `most` characters."""
        rows = [[" ".join(cell) for cell in row] for row in self._rows]
        rows = [row for row in rows if any(row)]
        self.depth, self._rows = 0, []
        columns = max(map(len, rows), default=0)
        if columns < 2 or len(rows) < 2:
            return [" ".join(cell for cell in row if cell) for row in rows]
        made: list[str] = []
        for row in rows:
            said = " | ".join(cell.replace("|", "\\|") for cell in row)
            made.append(f"| {said} |" + " |" * (columns - len(row)))
            if len(made) == 1:
                made.append("|" + " --- |" * columns)
            most -= len(made[-1])
            if most < 0:
                break
        return made
