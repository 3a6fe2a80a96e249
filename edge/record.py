"""Frozen slotted records, cheap enough to stand on the start-up path.

Rules this file keeps:
1. A record is its annotated fields, in order; a default is the value in the class body.
2. A record never changes. `replace` makes another one; unknown field names are a TypeError.
3. Two records are equal when their class and every field are equal. They hash by their fields,
   so a record that holds a dict cannot be hashed.
4. A class that defines `check(self)` has it called by the constructor: a record that exists is valid.
5. Nothing is compiled at import. Each class compiles its *own* constructor at its first instance
   (a subclass must never inherit its parent's compiled one).
6. This module imports nothing: twelve record classes cost about 3 M instructions at start, where
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


def _signature(cls: Any, keep: bool) -> str:
    """The parameter list of `cls`: with its defaults, or (keep) with the mark for 'as it was'."""
    parts = []
    for name in cls.__fields__:
        if keep:
            parts.append(f"{name}=_missing")
        else:
            parts.append(f"{name}=_default_{name}" if name in cls.__defaults__ else name)
    return ", ".join(parts)


def _compile(cls: Any) -> None:
    """Write the constructor and the copier of one record class, once."""
    space: dict[str, Any] = {"_missing": _MISSING, "_cls": cls}
    body = []
    for name in cls.__fields__:
        space[f"_set_{name}"] = getattr(cls, name).__set__
        body.append(f"    _set_{name}(self, {name})")
        if name in cls.__defaults__:
            space[f"_default_{name}"] = cls.__defaults__[name]
    if hasattr(cls, "check"):
        body.append("    self.check()")
    kept = ", ".join(f"self.{name} if {name} is _missing else {name}" for name in cls.__fields__)
    source = (
        f"def __init__(self, {_signature(cls, False)}):\n" + ("\n".join(body) or "    pass") + "\n"
        f"def _replaced(self, *, {_signature(cls, True)}):\n    return _cls({kept})\n"
        if cls.__fields__
        else "def __init__(self):\n    pass\ndef _replaced(self):\n    return _cls()\n"
    )
    exec(source, space)
    cls.__init__ = space["__init__"]
    cls._replaced = space["_replaced"]


def _first(cls: Any) -> None:
    """Give `cls` a constructor that compiles the real one at its first call."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        _compile(cls)
        cls.__init__(self, *args, **kwargs)

    cls.__init__ = __init__


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
