"""Frozen slotted records, cheap enough to stand on the start-up path.

Rules this file keeps:
1. A record is its annotated fields, in order; a default is the value in the class body.
2. A record never changes. `replace` makes another one; unknown field names are a TypeError.
3. Two records are equal when their class and every field are equal. They hash by their fields,
   so a record that holds a dict cannot be hashed.
4. A class that defines `check(self)` has it called by the constructor: a record that exists is valid.
5. Nothing is compiled at import. The first two instances of a class are filled field by field; the third compiles
   the class its *own* constructor (a subclass must never inherit its parent's), the second `replace` its copier.
   So a record that exists once, like the options of a run, or once beside its defaults, like the settings, never pays
   for a compiler. A process that has more time than memory says `sparing()` at its start: then nothing is compiled,
   and every instance is filled field by field.
6. What is compiled fills an instance of a twin, which has the same slots and is not frozen, and then makes it one of
   the record's class: that is cheaper than to go around the freeze for each field.
7. This module imports nothing: twelve record classes cost about 3 M instructions at start, where
   frozen dataclasses cost about 100 M.

To a type checker a record is a frozen dataclass (PEP 681).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from typing_extensions import dataclass_transform

    R = TypeVar("R", bound="Record")
else:

    def dataclass_transform(**_options):
        return lambda target: target


_MISSING = object()
_FILLED = 2  # instances of a class before its constructor is compiled
_compiles = True


def sparing() -> None:
    """From now on compile nothing: about 10 KiB less for each class of records, and some microseconds per instance."""
    global _compiles
    _compiles = False


def _bind(cls: Any, args: tuple[Any, ...], given: dict[str, Any]) -> dict[str, Any]:
    """Arguments by field, as a call of the compiled constructor would bind them; TypeError when they do not fit."""
    fields = cls.__fields__
    values = dict(zip(fields, args))
    if len(args) > len(fields) or any(name in values or name not in fields for name in given):
        raise TypeError(f"{cls.__name__} takes {', '.join(fields)}; got {args!r} {given!r}")
    values.update(given)
    for name in fields:
        if name not in values:
            if name not in cls.__defaults__:
                raise TypeError(f"{cls.__name__} misses {name}")
            values[name] = cls.__defaults__[name]
    return values


def _first(cls: Any) -> None:
    """Give `cls` a constructor and a copier for its first instances, which leave the compiling to the next ones."""
    filled, copied = 0, False

    def first(_cls: Any, *args: Any, **given: Any) -> Any:
        nonlocal filled
        if filled == _FILLED:
            cls.__new__ = _constructor(cls)
            return cls(*args, **given)
        filled += _compiles
        made = object.__new__(cls)
        for name, value in _bind(cls, args, given).items():
            getattr(cls, name).__set__(made, value)
        if hasattr(cls, "check"):
            made.check()
        return made

    def replaced(self: Any, **changes: Any) -> Any:
        nonlocal copied
        if copied:
            cls._replaced = _copier(cls)
            return self._replaced(**changes)
        copied = _compiles
        return cls(**{**{name: getattr(self, name) for name in cls.__fields__}, **changes})

    cls.__new__ = first
    cls._replaced = replaced


def _constructor(cls: Any) -> Any:
    """The compiled constructor: one assignment a field, then the check."""
    space = {f"_default_{name}": value for name, value in cls.__defaults__.items()}
    takes = [f"{name}=_default_{name}" if name in cls.__defaults__ else name for name in cls.__fields__]
    return _compiled(cls, "__new__", ["_kind", *takes], "_made.{0} = {0}", space)


def _copier(cls: Any) -> Any:
    """The compiled copier behind `replace`: what is not given is as it was."""
    takes = [f"{name}=_missing" for name in cls.__fields__]
    star = ["*"] * bool(takes)
    kept = "_made.{0} = self.{0} if {0} is _missing else {0}"
    return _compiled(cls, "replaced", ["self", *star, *takes], kept, {"_missing": _MISSING})


def _compiled(cls: Any, name: str, takes: list[str], fill: str, space: dict[str, Any]) -> Any:
    """A function that makes a record; `fill` is the statement for one field (rule 6)."""
    own = {"__slots__": cls.__slots__, "__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    twin = type.__new__(RecordType, cls.__name__, cls.__bases__, own)
    space.update(_new=object.__new__, _twin=twin, _cls=cls)
    body = ["_made = _new(_twin)", *[fill.format(field) for field in cls.__fields__], "_made.__class__ = _cls"]
    body += ["_made.check()"] * hasattr(cls, "check")
    exec(f"def {name}({', '.join(takes)}):\n " + "\n ".join([*body, "return _made"]), space)
    return space[name]


@dataclass_transform(frozen_default=True)
class RecordType(type):
    """Turns annotations into slots and remembers the defaults."""

    __fields__: tuple[str, ...]
    __defaults__: dict[str, object]

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> RecordType:
        own = tuple(space.get("__annotations__", ()))
        fields: tuple[str, ...] = ()
        defaults: dict[str, object] = {}
        for base in bases:
            if isinstance(base, RecordType):
                fields += tuple(f for f in base.__fields__ if f not in fields)
                defaults.update(base.__defaults__)
        defaults.update({field: space.pop(field) for field in own if field in space})
        space["__slots__"] = tuple(field for field in own if field not in fields)
        cls = super().__new__(mcs, name, bases, space)
        cls.__fields__ = fields + space["__slots__"]
        cls.__defaults__ = defaults
        _first(cls)
        return cls


class Record(metaclass=RecordType):
    """The base of every record. See the rules at the head of this file."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: use replace() to change {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, f) == getattr(other, f) for f in type(self).__fields__)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, f) for f in type(self).__fields__)))

    def __repr__(self) -> str:
        inner = ", ".join(f"{f}={getattr(self, f)!r}" for f in type(self).__fields__)
        return f"{type(self).__name__}({inner})"


def replace(record: R, **changes: Any) -> R:
    """A copy of `record` with some fields changed; TypeError when a name is no field."""
    return record._replaced(**changes)  # type: ignore[attr-defined,no-any-return]


def as_dict(record: Record) -> dict[str, Any]:
    """The fields by name, nested records and tuples of records as dicts and lists."""
    return {field: _plain(getattr(record, field)) for field in type(record).__fields__}


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return as_dict(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value
