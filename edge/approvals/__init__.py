"""Questions that people answer elsewhere than at the agent's own terminal."""

from __future__ import annotations
