"""Flashable cards for boards: the builder, its gates, the flasher. `python -m images`, `fieldhand image`."""
