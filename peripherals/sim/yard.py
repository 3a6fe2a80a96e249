"""The second shipped world, `--board sim:yard`: a yard with a rain tank, a pump, a shed and its door.

Here interlocks, feedback and the override can be tried: the pump runs only while the tank holds more than 5 % and its
valve is open, its relay is watched by a contact, the switch on the wall beats everybody.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

TABLES: Mapping[str, Any] = {
    "sim": {
        "name": "yard",
        "start": "09:00",
        "climate": {"seed": 4, "day_hours": 14.0, "mean": 14.0, "swing": 6.0, "cloudiness": 0.45, "rain": 4.0},
        "house": {"air": 16.0, "humidity": 60.0, "soil": 38.0, "glass": 6.0, "closed": 3600.0},
    },
    "tanks": {"tank": {"volume": 500.0, "level": 40.0, "catches": 25.0, "outflow": 0.02}},
    "outputs": {
        "valve": {
            "label": "valve of the tank",
            "max_on": 3600.0,
            "words": ["valve"],
        },
        "pump": {
            "label": "irrigation pump",
            "drives": "pump",
            "from": "tank",
            "to": "soil",
            "rate": 12.0,
            "max_on": 600.0,
            "min_off": 30.0,
            "max_per_hour": 12,
            "interlock": ["tank_level > 5", "valve"],
            "override": "wall_switch",
            "words": ["pump", "irrigation", "water", "watering"],
        },
        "heater": {
            "label": "heater of the shed",
            "drives": "heater",
            "rate": 14.0,
            "pwm": True,
            "max_on": 14400.0,
            "interlock": ["temperature < 30"],
            "words": ["heater", "heating", "radiator"],
        },
        "light": {
            "label": "light in the shed",
            "drives": "lamp",
            "rate": 800.0,
            "risk": "low",
            "max_on": 28800.0,
            "words": ["light", "lamp"],
        },
    },
    "relays": {"pump": {"feedback": "pump_feedback"}},
    "contacts": {
        "door": {"label": "door of the shed", "state": "closed", "states": ["closed", "open"], "vents": 600.0},
        "wall_switch": {"label": "switch on the wall that stops the pump", "states": ["off", "stop"]},
    },
    "sensors": {
        "temperature": {
            "model": "thermometer",
            "label": "air in the shed",
            "words": ["temperature", "warm", "hot", "cold", "degrees"],
        },
        "outside": {"model": "thermometer", "of": "outside", "label": "air outside", "address": "I2C 1/0x49"},
        "tank_level": {"model": "level", "of": "tank", "label": "level of the tank", "words": ["level", "tank"]},
        "soil_moisture": {"model": "soil", "label": "soil of the bed", "words": ["soil", "moisture", "dry", "wet"]},
        "rain": {"model": "rain", "label": "rain gauge", "words": ["rain", "wet weather"]},
        "brightness": {"model": "light", "label": "light in the yard", "words": ["bright", "dark", "lux", "sun"]},
    },
}
