"""The wall: what the kernel holds a child process to. `confine.py` is the plan of it, `spawn.py` carries it out."""

from __future__ import annotations
