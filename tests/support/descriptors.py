"""How many files this process has open, when what earlier tests left to the collector is gone."""

from __future__ import annotations

import gc
import os


def count() -> int:
    gc.collect()
    return len(os.listdir("/proc/self/fd"))
