"""What tests of the audit log share: reading it back, and checking it in every way there is."""

from __future__ import annotations

import os
import subprocess
import sys

from edge.cli.verifier import TEXT
from edge.tape.audit_check import Report, check
from edge.tape.audit_key import FIRST_KEY, keys_of, peek
from edge.tape.audit_read import records

SMALL = (4000, 3, 64)  # limits of a log that turns to a new file after some ten records


def kept(state: str) -> list[dict]:
    """All records of the log, in order; what is no record is left out."""
    return [record for _, _, record in records(os.path.join(state, "audit")) if record is not None]


def keys(state: str) -> tuple[tuple[int, bytes], ...]:
    """The first keys that lie in the state folder."""
    try:
        with open(os.path.join(state, FIRST_KEY)) as file:
            return keys_of(file.read())
    except FileNotFoundError:
        return ()


def verdict(state: str, with_key: bool = False) -> Report:
    """What the device itself says of its log."""
    return check(os.path.join(state, "audit"), peek(state), keys(state) if with_key else ())


def exported(state: str, target: str) -> str:
    """The log as one file, and the verifier beside it; the path of the log."""
    os.makedirs(target, exist_ok=True)
    folder = os.path.join(state, "audit")
    with open(os.path.join(target, "log"), "wb") as out:
        for name in sorted(name for name in os.listdir(folder) if name.endswith(".jsonl")):
            with open(os.path.join(folder, name), "rb") as file:
                out.write(file.read())
    with open(os.path.join(target, "verify_audit.py"), "w") as out:
        out.write(TEXT)
    return os.path.join(target, "log")


def alone(state: str, target: str, with_head: bool = True, with_key: bool = False) -> tuple[int, str]:
    """Exit code and words of the stand-alone verifier, run as its user would."""
    log = exported(state, target)
    head = peek(state)
    command = [sys.executable, "-I", os.path.join(target, "verify_audit.py"), log]
    if with_head and head is not None and head.seq:
        command += ["--head", f"{head.seq}:{head.hash}"]
    if with_key:
        command += ["--key", os.path.join(state, FIRST_KEY)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ran.stderr == "", ran.stderr
    return ran.returncode, ran.stdout
