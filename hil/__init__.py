"""Emulated boards: QEMU, their serial console, and what is done on it."""
