"""Environment markers of Python requirements (PEP 508), asked for a board instead of for this machine.

Rules:
1. A board is Linux, CPython and of one version; no extra is wanted. The variables are those of PEP 508.
2. `python_version` and `python_full_version` are compared as numbers, everything else as text.
3. A marker that is not understood counts as true: a wheel too many does no harm, a missing one does.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\s*(?:(\(|\))|(<=|>=|==|!=|~=|===|<|>)|'([^']*)'|\"([^\"]*)\"|([A-Za-z_.]+))")
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_SAME = {
    "os_name": "posix",
    "sys_platform": "linux",
    "platform_system": "Linux",
    "platform_python_implementation": "CPython",
    "implementation_name": "cpython",
    "extra": "",
}


class _Strange(Exception):
    """A marker that is not understood."""


def holds(marker: str, python: str) -> bool:
    """True when a requirement with this marker is meant for a board with this Python ("3.11")."""
    if not marker.strip():
        return True
    try:
        tokens = _tokens(marker)
        value = _either(tokens, python)
    except _Strange:
        return True
    return value if not tokens else True


def _tokens(text: str) -> list[tuple[str, str]]:
    """(kind, text): "(" and ")", "op", "text", "name"."""
    found = []
    text = text.strip()
    while text:
        hit = _TOKEN.match(text)
        if hit is None:
            raise _Strange
        bracket, operator, single, double, word = hit.groups()
        if bracket:
            found.append((bracket, bracket))
        elif operator:
            found.append(("op", operator))
        elif word:
            found.append(("op" if word in ("in", "not") else "name", word))
        else:
            found.append(("text", single if single is not None else double))
        text = text[hit.end() :].strip()
    return found


def _either(tokens: list[tuple[str, str]], python: str) -> bool:
    value = _both(tokens, python)
    while tokens and tokens[0] == ("name", "or"):
        tokens.pop(0)
        value = _both(tokens, python) or value
    return value


def _both(tokens: list[tuple[str, str]], python: str) -> bool:
    value = _single(tokens, python)
    while tokens and tokens[0] == ("name", "and"):
        tokens.pop(0)
        value = _single(tokens, python) and value
    return value


def _single(tokens: list[tuple[str, str]], python: str) -> bool:
    if tokens and tokens[0][0] == "(":
        tokens.pop(0)
        value = _either(tokens, python)
        if not tokens or tokens.pop(0)[0] != ")":
            raise _Strange
        return value
    left, operator = _next(tokens), _next(tokens)
    if operator == ("op", "not"):
        operator = ("op", f"not {_next(tokens)[1]}")
    return _compare(left, operator[1], _next(tokens), python)


def _next(tokens: list[tuple[str, str]]) -> tuple[str, str]:
    if not tokens:
        raise _Strange
    return tokens.pop(0)


def _compare(left: tuple[str, str], operator: str, right: tuple[str, str], python: str) -> bool:
    names = [text for kind, text in (left, right) if kind == "name"]
    if len(names) != 1:
        raise _Strange
    if names[0] in ("python_version", "python_full_version"):
        if left[0] == "text":
            left, right, operator = right, left, _FLIPPED.get(operator, operator)
        return _version(operator, right[1], python)
    if names[0] not in _SAME:
        raise _Strange
    known = _SAME[names[0]]
    one, other = (known, right[1]) if left[0] == "name" else (left[1], known)
    answers = {"==": one == other, "!=": one != other, "in": one in other, "not in": one not in other}
    if operator not in answers:
        raise _Strange
    return answers[operator]


def _version(operator: str, wanted: str, python: str) -> bool:
    """Compare Python's version with the one in the marker; `3.11` stands for `3.11.0`."""
    if operator in ("in", "not in"):
        return (python in wanted.replace(",", " ").split()) == (operator == "in")
    wanted = wanted.removesuffix(".*")
    try:
        other = [int(part) for part in wanted.split(".")]
    except ValueError as fault:
        raise _Strange from fault
    own = [int(part) for part in python.split(".")]
    width = max(len(own), len(other))
    one, two = own + [0] * (width - len(own)), other + [0] * (width - len(other))
    if operator == "~=":
        return one >= two and one[: len(other) - 1] == two[: len(other) - 1]
    answers = {"<": one < two, "<=": one <= two, ">": one > two, ">=": one >= two, "==": one == two, "!=": one != two}
    return answers.get(operator, True)
