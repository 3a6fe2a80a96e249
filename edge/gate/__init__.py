"""The risk gate: `decide.py` decides, by the table in `rules.py`; `paths.py` knows where a path leads."""

from __future__ import annotations
