"""The figures Fieldhand is held to, one file per figure: `python3 -m bench [NAME ...] [--json FILE] [--check]`.

The contract of a file, and how the rows are run and judged: bench/harness.py.
"""

from __future__ import annotations
