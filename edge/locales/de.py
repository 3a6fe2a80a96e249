"""The lines of the tools in German."""

from __future__ import annotations

TOOLS = {
    "sensor_list": "Die Messfühler dieser Anlage mit ihren Einheiten nennen.",
    "sensor_read": "Einen Messfühler jetzt lesen: Wert, Einheit, Güte und Alter.",
    "output_list": "Die Ausgänge dieser Anlage und ihren jetzigen Zustand nennen.",
    "output_set": "Einen Ausgang eine begrenzte Zeit lang schalten.",
}
