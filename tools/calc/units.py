"""Units that field engineers use: SI with prefixes, and the others by their exact factors.

Sources: the SI brochure (9th edition) for names, prefixes and defined factors; NIST SP 811 for inch, pound, gallon,
psi, BTU; IEC 80000-13 for KiB and MiB.
"""

from __future__ import annotations

import math
from fractions import Fraction

from edge.faults import ToolFault
from edge.record import Record
from edge.tools.calc.quantity import BASES, NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.tools.calc.quantity import Dimension, Number


class Unit(Record):
    """`factor`: base units in one of these. `offset`: added after that (temperatures, K). `prefixes`: takes SI ones."""

    factor: Number
    dimension: Dimension
    prefixes: bool = False
    offset: Fraction = Fraction(0)


def _d(**exponents: int) -> Dimension:
    return tuple([exponents.get(base, 0) for base in BASES])


_F = Fraction
_ENERGY, _FORCE = _d(kg=1, m=2, s=-2), _d(kg=1, m=1, s=-2)
_PRESSURE, _WATT = _d(kg=1, m=-1, s=-2), _d(kg=1, m=2, s=-3)
_VOLT, _OHM = _d(kg=1, m=2, s=-3, A=-1), _d(kg=1, m=2, s=-3, A=-2)
_TEMPERATURE = _d(K=1)
_INCH, _POUND = _F("0.0254"), _F("0.45359237")
_G = _F("9.80665")

# Names that are shown when a dimension has one.
DERIVED = {
    "V": Unit(_F(1), _VOLT, True),
    "W": Unit(_F(1), _WATT, True),
    "J": Unit(_F(1), _ENERGY, True),
    "N": Unit(_F(1), _FORCE, True),
    "Pa": Unit(_F(1), _PRESSURE, True),
    "ohm": Unit(_F(1), _OHM, True),
    "C": Unit(_F(1), _d(A=1, s=1), True),
    "F": Unit(_F(1), _d(kg=-1, m=-2, s=4, A=2), True),
    "H": Unit(_F(1), _d(kg=1, m=2, s=-2, A=-2), True),
    "S": Unit(_F(1), _d(kg=-1, m=-2, s=3, A=2), True),
    "Hz": Unit(_F(1), _d(s=-1), True),
    "T": Unit(_F(1), _d(kg=1, s=-2, A=-1), True),
    "Wb": Unit(_F(1), _d(kg=1, m=2, s=-2, A=-1), True),
    "lx": Unit(_F(1), _d(cd=1, m=-2), True),
}
_BASE = {
    "m": Unit(_F(1), _d(m=1), True),
    "g": Unit(_F(1, 1000), _d(kg=1), True),
    "s": Unit(_F(1), _d(s=1), True),
    "A": Unit(_F(1), _d(A=1), True),
    "K": Unit(_F(1), _TEMPERATURE, True),
    "cd": Unit(_F(1), _d(cd=1), True),
    "B": Unit(_F(1), _d(B=1), True),
}
_OTHERS = {
    "lm": Unit(_F(1), _d(cd=1), True),
    "degC": Unit(_F(1), _TEMPERATURE, offset=_F("273.15")),
    "degF": Unit(_F(5, 9), _TEMPERATURE, offset=_F("459.67") * _F(5, 9)),
    "min": Unit(_F(60), _d(s=1)),
    "h": Unit(_F(3600), _d(s=1)),
    "d": Unit(_F(86400), _d(s=1)),
    "week": Unit(_F(604800), _d(s=1)),
    "year": Unit(_F(31557600), _d(s=1)),  # the Julian year of astronomy, 365.25 d
    "inch": Unit(_INCH, _d(m=1)),
    "ft": Unit(_INCH * 12, _d(m=1)),
    "yd": Unit(_INCH * 36, _d(m=1)),
    "mi": Unit(_INCH * 63360, _d(m=1)),
    "nmi": Unit(_F(1852), _d(m=1)),
    "mil": Unit(_INCH / 1000, _d(m=1)),
    "ha": Unit(_F(10_000), _d(m=2)),
    "acre": Unit(_F("4046.8564224"), _d(m=2)),
    "l": Unit(_F(1, 1000), _d(m=3), True),
    "gal": Unit(_F("0.003785411784"), _d(m=3)),
    "t": Unit(_F(1000), _d(kg=1)),
    "lb": Unit(_POUND, _d(kg=1)),
    "oz": Unit(_POUND / 16, _d(kg=1)),
    "bar": Unit(_F(100_000), _PRESSURE, True),
    "psi": Unit(_POUND * _G / (_INCH * _INCH), _PRESSURE),
    "atm": Unit(_F(101_325), _PRESSURE),
    "mmHg": Unit(_F("133.322387415"), _PRESSURE),
    "inHg": Unit(_F("3386.388640341"), _PRESSURE),
    "Wh": Unit(_F(3600), _ENERGY, True),
    "Ah": Unit(_F(3600), _d(A=1, s=1), True),
    "cal": Unit(_F("4.184"), _ENERGY, True),
    "BTU": Unit(_F("1055.05585262"), _ENERGY),
    "eV": Unit(_F("1.602176634e-19"), _ENERGY, True),
    "hp": Unit(_POUND * _G * _INCH * 12 * 550, _WATT),
    "VA": Unit(_F(1), _WATT, True),
    "G": Unit(_F(1, 10_000), _d(kg=1, s=-2, A=-1)),
    "bit": Unit(_F(1, 8), _d(B=1), True),
    "bps": Unit(_F(1, 8), _d(B=1, s=-1), True),
    "rpm": Unit(_F(1, 60), _d(s=-1)),
    "kn": Unit(_F(1852, 3600), _d(m=1, s=-1)),
    "mph": Unit(_INCH * 63360 / 3600, _d(m=1, s=-1)),
    "kph": Unit(_F(1000, 3600), _d(m=1, s=-1)),
    "rad": Unit(_F(1), NONE, True),
    "deg": Unit(math.pi / 180, NONE),
    "turn": Unit(2 * math.pi, NONE),
    "ppm": Unit(_F(1, 1_000_000), NONE),
    "percent": Unit(_F(1, 100), NONE),
}
_SPELLINGS = {
    **{"\u03a9": "ohm", "\u2126": "ohm", "Ohm": "ohm", "\u00b0C": "degC", "\u00b0F": "degF", "\u00b0": "deg"},
    **{"sec": "s", "hr": "h", "hour": "h", "hours": "h", "day": "d", "days": "d", "minutes": "min", "seconds": "s"},
    **{"L": "l", "litre": "l", "liter": "l", "gallon": "gal", "foot": "ft", "feet": "ft", "mile": "mi", "miles": "mi"},
    **{"byte": "B", "bytes": "B", "bits": "bit", "celsius": "degC", "fahrenheit": "degF", "knot": "kn", "knots": "kn"},
    **{"volt": "V", "volts": "V", "amp": "A", "amps": "A", "watt": "W", "watts": "W", "years": "year"},
    **{"weeks": "week", "inches": "inch", "degrees": "deg", "pascal": "Pa", "newton": "N", "joule": "J", "hertz": "Hz"},
}
_PREFIXES = {
    **{"p": -12, "n": -9, "u": -6, "\u00b5": -6, "\u03bc": -6, "m": -3, "c": -2, "d": -1},
    **{"h": 2, "k": 3, "M": 6, "G": 9, "T": 12},
}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4}
_ALL = {**_BASE, **DERIVED, **_OTHERS}


def find(name: str) -> Unit | None:
    """The unit called `name`, with an SI or (for B and bit) a binary prefix; None when there is none."""
    name = _SPELLINGS.get(name, name)
    unit = _ALL.get(name)
    if unit is not None:
        return unit
    unit = _ALL.get(_SPELLINGS.get(name[2:], name[2:]))
    if name[:2] in _BINARY and unit is not None and name[2:] in ("B", "bit"):
        return Unit(unit.factor * 1024 ** _BINARY[name[:2]], unit.dimension)
    unit = _ALL.get(_SPELLINGS.get(name[1:], name[1:]))
    if name[:1] in _PREFIXES and unit is not None and unit.prefixes:
        return Unit(unit.factor * _F(10) ** _PREFIXES[name[:1]], unit.dimension)
    return None


def must(name: str) -> Unit:
    """The unit called `name`; ToolFault with a near name when there is none."""
    unit = find(name)
    if unit is None:
        from difflib import get_close_matches

        near = get_close_matches(name, [*_ALL, *_SPELLINGS], 1, 0.6)
        raise ToolFault(f"there is no unit {name[:40]!r}" + (f"; did you mean {near[0]}?" if near else ""))
    return unit


def named(dimension: Dimension) -> str:
    """What has this dimension, in words: `V`, `m/s`, `a plain number`."""
    if dimension == NONE:
        return "a plain number"
    for name, unit in DERIVED.items():
        if unit.dimension == dimension:
            return name
    return base(dimension)


def base(dimension: Dimension) -> str:
    """A dimension in base units: `m/s^2`, `1/s`."""
    top = [_powered(base, power) for base, power in zip(BASES, dimension) if power > 0]
    below = [_powered(base, -power) for base, power in zip(BASES, dimension) if power < 0]
    return "*".join(top or ["1"] * bool(below)) + "".join(f"/{one}" for one in below)


def _powered(name: str, power: int) -> str:
    return name if power == 1 else f"{name}^{power}"
