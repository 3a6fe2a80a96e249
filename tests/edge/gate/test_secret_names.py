"""The quick look at the names of a folder says what the look at each path says."""

from __future__ import annotations

import os
import random

from edge.gate import secret
from edge.gate.secret import are_quick, is_plain, is_quick, is_secret, open_names

ROUNDS = 30_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 3_000
PLACES = [path for piece in secret.PIECES for path in (f"/w/{piece}",)] + list(secret.FOLDERS)
FOLDERS = (
    *(
        "/home/u/w",
        "/home/u/w/a.git",
        "/home/u/.docker",
        "/boot/x",
        "/etc/mosquitto",
        "/proc/12",
        "/etc",
        "/usr/share/x",
    ),
    *("/home/u/.config", "/w/.credentials", "/é", "/w/snap/chromium/common", "/w/key", "/w/Config", "/usr/lib/secrets"),
    *[path.rpartition("/")[0] for path in PLACES],
)
FRAGMENTS = (
    *secret.PARTS,
    *secret.ENDS,
    *secret.STEMS,
    *secret.ALSO_WITH_ENDING,
    *secret.BOOT,
    *secret.MOSQUITTO,
    *[path.rpartition("/")[2] for path in PLACES],
    *[f".{end}" for end in (*secret.PLAIN_ENDS, *secret.DATA)],
    *secret.PLAIN_ENDS,
    *(
        "id_rsa",
        "ID_RSA",
        "id_",
        ".env.",
        ".ENV",
        "otp_private",
        "wpa_supplicant",
        "ssh_host_",
        "_key",
        "Key",
        "#",
        "~",
    ),
    *(".", " ", ".bak", ".1", "é", "A", "x", "main", "environ", "mem", "config", "\u200b"),
)


def test_quick_and_slow_agree_on_every_name() -> None:
    chance = random.Random(31)
    quick = closed = together = 0
    for _ in range(ROUNDS):
        folder = chance.choice(FOLDERS)
        if is_secret(folder):
            continue
        names = ["".join(chance.choices(FRAGMENTS, k=chance.randrange(1, 4))) for _ in range(3)]
        names = [name for name in names if "/" not in name]
        plain = is_plain(folder)
        wanted = [name for name in names if not is_secret(f"{folder}/{name}")]
        assert open_names(folder, names, plain) == wanted, (folder, names)
        closed += len(names) - len(wanted)
        if are_quick(names):
            assert all(map(is_quick, names)), names
        for name in names if plain else ():
            together += are_quick([name])
            assert is_quick(name) or not are_quick([name]), name
            if is_quick(name):
                quick += 1
                assert not is_secret(f"{folder}/{name}") and is_plain(f"{folder}/{name}"), (folder, name)
    print(f"{ROUNDS} rounds, {quick} quick names, {closed} closed ones")
    assert quick > ROUNDS // 20 and together > ROUNDS // 50 and closed > ROUNDS // 4
