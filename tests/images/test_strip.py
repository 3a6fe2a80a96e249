"""What is left out of a root is never what somebody on the board imports or calls."""

from __future__ import annotations

import re
import sys

import pytest

from images import strip
from tests.support.sources import sources

IMPORT = re.compile(r"^ *(?:import|from) (\w+)", re.MULTILINE)
KEPT = "statistics decimal csv difflib zoneinfo code multiprocessing email html shelve readline sqlite3 sysconfig"


def kept(name: str) -> bool:
    """Whether a top-level module of the standard library stays, in whichever of its forms."""
    base = "usr/lib/python3.11"
    forms = (f"{base}/{name}.py", f"{base}/{name}/__init__.py", f"{base}/lib-dynload/{name}.cpython-311-arm-linux.so")
    return all(strip.needed(form) for form in forms)


def test_what_fieldhand_imports_stays() -> None:
    known = set(getattr(sys, "stdlib_module_names", ())) or set(sys.builtin_module_names)
    used = {name for source in sources() for name in IMPORT.findall(source.text)}
    missing = sorted(name for name in used & known if not kept(name))
    assert len(used & known) > 10 and missing == []


@pytest.mark.parametrize("name", KEPT.split())
def test_what_skills_and_scripts_use_stays(name: str) -> None:
    assert kept(name)


@pytest.mark.parametrize(
    "inner",
    [
        *("usr/bin/busybox", "usr/bin/python3", "usr/sbin/mke2fs", "usr/sbin/e2fsck", "etc/mke2fs.conf"),
        *("usr/lib/arm-linux-gnueabi/libc.so.6", "usr/lib/aarch64-linux-gnu/libzstd.so.1.5.7", "usr/lib/ld-linux.so.3"),
        *("usr/lib/arm-linux-gnueabi/libnss_dns.so.2", "usr/share/ca-certificates/mozilla/X.crt", "usr/bin/i2cdetect"),
        *(
            "usr/lib/python3.13/encodings/utf_8.py",
            "usr/lib/python3.13/encodings/idna.py",
            "usr/lib/python3.13/re/_parser.py",
        ),
        *("usr/lib/python3.13/_sysconfigdata__linux_aarch64-linux-gnu.py", "usr/lib/python3.13/json/tool.py"),
    ],
)
def test_what_a_board_runs_stays(inner: str) -> None:
    assert strip.needed(inner)


@pytest.mark.parametrize(
    "inner",
    [
        *("usr/share/doc/libc6/copyright", "usr/lib/aarch64-linux-gnu/gconv/UTF-7.so", "usr/share/zoneinfo/UTC"),
        *("boot/vmlinuz-6.1", "usr/lib/modules/6.1/kernel/fs/fat/vfat.ko", "usr/lib/systemd/system/x.service"),
        *("usr/lib/python3.13/test/__init__.py", "usr/lib/python3.13/idlelib/a/b.py", "usr/lib/python3.13/turtle.py"),
        *("usr/lib/python3.11/encodings/big5.py", "usr/lib/python3.11/lib-dynload/_testcapi.cpython-311-arm.so"),
        *("usr/lib/python3.11/config-3.11-arm-linux-gnueabi/Makefile", "usr/lib/python3.11/email/architecture.rst"),
        *("usr/lib/python3.11/__pycache__/os.cpython-311.pyc", "usr/lib/python3.11/LICENSE.txt", "var/lib/x"),
    ],
)
def test_what_no_board_reads_goes(inner: str) -> None:
    assert not strip.needed(inner)
