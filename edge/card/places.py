"""Where things are on a board that was started from a card, one name for each. Paths only.

Partitions and raw sectors: edge/card/layout.py.
"""

from __future__ import annotations

RELEASE = "/etc/fieldhand/release"  # KEY=value: what the image is
KEYS = "/etc/fieldhand/keys"  # NAME.pub: whose updates are taken
DATA = "/data"
CONFIG = f"{DATA}/config/config.toml"
STATE = f"{DATA}/state"
SCHEMA = f"{DATA}/schema"
MORE_KEYS = f"{DATA}/etc/keys"  # what provisioning added
RUN = "/run/fieldhand"  # memory, for one start
GUARD = f"{RUN}/guard.sock"
NOTIFY = f"{RUN}/notify"
SUPERVISOR = f"{RUN}/supervisor.txt"
FIRST = f"{RUN}/first"  # the first partition, while it is mounted
ASIDE = f"{RUN}/old"  # data that cannot be used, while they are looked at
