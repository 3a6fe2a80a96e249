"""What the simulated board declares: its sensors and outputs, as data.

The ranges are those of common parts of each kind; `address` is only what an error names.
"""

from __future__ import annotations

from edge.call import Output, Sensor
from edge.peripherals.sim.parts import Part

PARTS: tuple[Part, ...] = (
    Part(
        Sensor(
            name="temperature",
            label="greenhouse air temperature",
            unit="C",
            where="sim air probe",
            words=("temperature", "warm", "hot", "cold", "cool", "heat", "air", "degrees"),
        ),
        low=-40.0,
        high=85.0,
        places=1,
        address="I2C 1/0x76",
    ),
    Part(
        Sensor(
            name="soil_moisture",
            label="soil moisture of the bed",
            unit="%",
            where="sim soil probe",
            words=("soil", "moisture", "soil moisture", "dry", "wet", "bed", "earth"),
        ),
        low=0.0,
        high=100.0,
        places=1,
        address="I2C 1/0x48 channel 0",
    ),
    Part(
        Sensor(
            name="humidity",
            label="relative humidity of the air",
            unit="%",
            where="sim humidity sensor",
            words=("humidity", "humid", "damp", "air humidity"),
        ),
        low=0.0,
        high=100.0,
        places=1,
        address="I2C 1/0x44",
    ),
    Part(
        Sensor(
            name="light",
            label="light over the plants",
            unit="lux",
            where="sim light sensor",
            words=("light", "bright", "dark", "lux", "sun", "sunny"),
        ),
        low=0.0,
        high=120000.0,
        places=0,
        address="I2C 1/0x23",
    ),
)

SENSORS: tuple[Sensor, ...] = tuple(part.sensor for part in PARTS)

OUTPUTS: tuple[Output, ...] = (
    Output(
        name="fan",
        label="exhaust fan, relay 1",
        where="sim relay 1",
        max_on=3600.0,
        words=("fan", "exhaust", "exhaust fan", "ventilator", "ventilation"),
    ),
    Output(
        name="pump",
        label="irrigation pump, relay 2",
        where="sim relay 2",
        max_on=600.0,
        words=("pump", "irrigation", "irrigation pump", "water", "watering"),
    ),
)
