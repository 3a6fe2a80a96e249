"""The stand-alone verifier that `audit export` lays beside a log: a text, because the program may be a zip of .pyc."""

from __future__ import annotations

NAME = "verify_audit.py"
TEXT = '''\
#!/usr/bin/env python3
"""Check an exported Fieldhand audit log: verify_audit.py LOG [--head SEQ:DIGEST|FILE] [--key SEQ:HEX|FILE]

Needs Python 3 and nothing else. Exit code: 0 sound, 1 changed, 8 only torn at its end, 2 usage.
Without --head a cut end passes; without --key so does a log written anew from some record on.
"""
import hashlib
import hmac
import json
import os
import sys

LABEL, NEXT, TAIL = b"fieldhand audit record 1", b"fieldhand audit key 1", 148


def pairs(told):
    if os.path.exists(told):
        with open(told) as file:
            told = file.read()
    rows = [row.rpartition(":") for row in told.split()]
    return {int(seq or 1): value for seq, _, value in rows if len(value) == 64}


def parse(line):
    try:
        record = json.loads(line.decode()) if line[-TAIL:-139] == b',"prev":"' and line[-1:] == b"}" else None
        if type(record["seq"]) is int and len(record["prev"]) == len(record["mac"]) == 64 and record["kind"]:
            return record
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    return None


def mac(key, record, line):
    parts = (LABEL, record["prev"].encode(), line[:-TAIL])
    return hmac.new(key, b"".join(len(part).to_bytes(8, "big") + part for part in parts), "sha256").hexdigest()


def check(lines, heads, keys):
    bad, torn, start, dropped, seq, digest, key, at = [], 0, None, {}, 0, "0" * 64, None, 0
    for count, line in enumerate(lines, 1):
        record = parse(line[:-1]) if line[-1:] == b"\\n" else None
        if record is None or (torn and (record["seq"], record["prev"]) != (seq + 1, digest) and heads):
            torn = torn or count
            continue
        if torn:
            bad.append("line %d: no record" % torn)
            torn = 0
        number = record["seq"]
        start = start or (number, record["prev"])
        if seq and (number, record["prev"]) != (seq + 1, digest):
            bad.append("line %d: record %d does not follow record %d" % (count, number, seq))
        if record["kind"] == "key" and number > 1:
            key = None
            if keys and number not in keys:
                bad.append("line %d: record %d begins a key that was not given" % (count, number))
        known = max((one for one in keys if seq < one <= number), default=0)
        if known and (key is None or known == number):
            key, at = bytes.fromhex(keys[known]), known
        if key is not None and number - at > (10 ** 6 if seq else 5 * 10 ** 7):
            key = None
        while key is not None and at < number:
            key, at = hashlib.sha256(NEXT + key).digest(), at + 1
        if key is not None and at == number and mac(key, record, line[:-1]) != record["mac"]:
            bad.append("line %d: record %d does not bear the mac of its key" % (count, number))
        if record["kind"] == "begin" and type(record.get("until")) is int:
            dropped[record["until"] + 1] = record.get("hash")
        seq, digest = number, hashlib.sha256(line[:-1]).hexdigest()
        if heads.pop(number, digest) != digest:
            bad.append("line %d: record %d is not that of the head" % (count, number))
    if start and start[1] != dropped.get(start[0], "0" * 64 if start[0] == 1 else ""):
        bad.append("line 1: what was before record %d was not dropped by the device" % start[0])
    bad += ["the end: record %d is missing" % one for one in heads if not start or one >= start[0]]
    return bad, torn, seq


def main(words):
    options = dict(zip(words[1::2], words[2::2]))
    if len(words) % 2 == 0 or set(options) - {"--head", "--key"}:
        print(__doc__, file=sys.stderr)
        return 2
    with open(words[0], "rb") as file:
        bad, torn, seq = check(file, pairs(options.get("--head", "")), pairs(options.get("--key", "")))
    print("\\n".join(bad) or "torn after record %d, at line %d" % (seq, torn) if torn or bad else "sound: %d" % seq)
    return 1 if bad else 8 if torn else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
'''
