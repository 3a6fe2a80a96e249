"""`[sensors.NAME]`: every source arrives, every slip is told with file, line and key."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from edge.call import Sensor, Source
from edge.config import load
from edge.config_board import Declared
from edge.faults import ConfigFault
from edge.peripherals.sensors.quantities import HWMON, IIO
from edge.peripherals.sensors.table import PARTS
from tests.support.sources import ROOT

WARM = ("temperature", "warm", "hot", "cold", "cool", "heat", "degrees")


def declared(folder: Path, said: str) -> Declared:
    path = folder / "config.toml"
    path.write_text('board = "auto"\n' + textwrap.dedent(said), encoding="utf-8")
    found = load(str(path)).declared
    assert found is not None
    return found


def fault(folder: Path, said: str) -> ConfigFault:
    with pytest.raises(ConfigFault) as caught:
        declared(folder, said)
    return caught.value


@pytest.mark.parametrize(
    ("table", "source", "unit", "where", "words"),
    [
        ('hwmon = "lm75"', Source("x", "hwmon", "lm75", "", "temp1"), "C", "hwmon lm75 temp1", WARM),
        (
            'hwmon = "lm75"\nat = "1-0048"\nunit = "F"\nlow = 0\nhigh = 90.5\nwords = ["box"]',
            Source("x", "hwmon", "lm75", "1-0048", "temp1", "", 0.0, 90.5),
            *("F", "hwmon lm75 at 1-0048 temp1", ("box",)),
        ),
        ('hwmon = "ina2xx"\nchannel = "in1"', Source("x", "hwmon", "ina2xx", "", "in1"), "V", None, ("voltage",)),
        (
            'iio = "bme280"\nchannel = "humidityrelative"',
            Source("x", "iio", "bme280", "", "humidityrelative"),
            *("%", "iio bme280 humidityrelative", ("humidity", "humid", "damp")),
        ),
        ('thermal = "cpu-thermal"', Source("x", "thermal", "cpu-thermal"), "C", "thermal zone cpu-thermal", ()),
        (
            'onewire = "28-06050403020A"',
            Source("x", "onewire", "28-06050403020a"),
            *("C", "1-wire 28-06050403020a", WARM),
        ),
        (
            'i2c = "1/0X4a"\npart = "tmp102"',
            Source("x", "i2c", "1/0x4a", "", "", "tmp102"),
            *("C", "tmp102 at I2C 1/0x4a", WARM),
        ),
    ],
)
def test_each_source(
    tmp_path: Path, table: str, source: Source, unit: str, where: str | None, words: tuple[str, ...]
) -> None:
    found = declared(tmp_path, f"[sensors.x]\n{table}")
    assert found.sources == (source,) and not found.owned.sensors
    assert found.sensors == (Sensor("x", "x", unit, where or found.sensors[0].where, words),)


def test_a_label_is_what_it_says_else_the_name(tmp_path: Path) -> None:
    found = declared(tmp_path, '[sensors.box_air]\nhwmon = "lm75"\n[sensors.b]\nhwmon = "lm75"\nlabel = "Kasten"')
    assert [one.label for one in found.sensors] == ["box air", "Kasten"]


@pytest.mark.parametrize(
    ("table", "line", "sentence", "fix"),
    [
        ('label = "x"', 2, "sensors.x has no source, and needs one of hwmon", 'hwmon = "lm75"'),
        ('hwmon = "a"\niio = "b"', 2, "sensors.x has hwmon and iio, and needs one of", ""),
        ('hwmon = "lm75"\nhwmom = "x"', 4, "there is no key sensors.x.hwmom", "did you mean hwmon?"),
        ('thermal = "cpu"\nchannel = "temp1"', 4, "sensors.x.channel says nothing beside thermal", "take it out"),
        ('hwmon = "lm75"\npart = "lm75"', 4, "sensors.x.part says nothing beside hwmon", "take it out"),
        ('iio = "bme280"', 2, "sensors.x has iio and needs a channel", 'channel = "temp"'),
        ('i2c = "1/0x48"', 2, "sensors.x has i2c and needs a part", 'part = "tmp105"'),
        ('i2c = "1/0x48"\npart = "bme280"', 4, "sensors.x.part must be one of lm75, tmp105, tmp102", ""),
        ('i2c = "1/0x4f"\npart = "tmp105"', 3, "sensors.x.i2c: a tmp105 is never at 0x4f", "0x48, 0x49"),
        ('i2c = "1-0048"\npart = "tmp105"', 3, 'sensors.x.i2c must be bus and address, such as "1/0x48"', ""),
        ('i2c = "1/0x78"\npart = "tmp105"', 3, "sensors.x.i2c must have an address from 0x08 to 0x77", ""),
        ('i2c = "x/0x48"\npart = "tmp105"', 3, "sensors.x.i2c must be bus and address", ""),
        ('i2c = "1/0xzz"\npart = "tmp105"', 3, "sensors.x.i2c must have an address", ""),
        ("i2c = 72\npart = 'tmp105'", 3, "sensors.x.i2c must be a text", ""),
        ('onewire = "28-0605"', 3, "sensors.x.onewire must be an identity", ""),
        ('onewire = "26-060504030201"', 3, "sensors.x.onewire must be a thermometer's", ""),
        ('hwmon = "../../etc"', 3, "sensors.x.hwmon must be one name of the kernel's", ""),
        ('hwmon = "lm75"\nchannel = "a/b"', 4, "sensors.x.channel must be one name", ""),
        ('hwmon = "lm75"\nchannel = "pwm1"', 4, "sensors.x.channel: what pwm1 measures is not known", "temp1, in1"),
        ('hwmon = "lm75"\nunit = "Fahrenheit"', 4, "sensors.x.unit: temperature is not told in", "units: C, F, K"),
        ('hwmon = "lm75"\nlow = 5\nhigh = 5', 4, "sensors.x.low must be below sensors.x.high", ""),
        ('hwmon = "lm75"\nlow = "5"', 4, "sensors.x.low must be a number", ""),
    ],
)
def test_every_slip_has_its_place(tmp_path: Path, table: str, line: int, sentence: str, fix: str) -> None:
    told = fault(tmp_path, f"[sensors.x]\n{table}")
    assert sentence in told.sentence and fix in told.fix, str(told)
    assert told.where.endswith(f"config.toml:{line}"), told.where


def test_a_name_is_in_small_letters(tmp_path: Path) -> None:
    told = fault(tmp_path, '[sensors.A]\nhwmon = "lm75"')
    assert "A is no name of an output, input, sensor or port" in told.sentence


def test_a_misspelled_table_has_a_near_name(tmp_path: Path) -> None:
    assert fault(tmp_path, '[sensor.a]\nhwmon = "lm75"').fix == "did you mean [sensors]?"


def test_the_settings_of_the_page_load(tmp_path: Path) -> None:
    page = (ROOT / "docs/sensors.md").read_text("utf-8")
    block = page[page.index('    board = "auto"') :].partition("\n| key |")[0]
    found = declared(tmp_path, textwrap.dedent(block).partition("\n")[2])
    names = [one.name for one in found.sensors]
    assert names == ["box", "room_humidity", "pipe", "processor", "outside"]
    for quantity in {one[0].name: one[0] for one in (*HWMON.values(), *IIO.values())}.values():
        assert f"`{' '.join([quantity.unit, *quantity.units])}`" in page
    assert ", ".join(sorted(PARTS)) in page
