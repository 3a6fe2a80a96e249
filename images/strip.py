"""What of the packages no board needs: a list of what is left out, because what is not known is kept.

Rules:
1. A path is asked after the usr-merge, without a leading slash. The first group of rules that knows it decides.
2. Of the standard library only names in LIBRARY, EXTENSIONS and outside ENCODINGS go. What edge or a library beside it
   imports must not stand there: a test and a gate hold it.
3. Kernels, device trees and firmware are no part of the root: they have packages of their own (images/modules.py takes
   the modules).

An allow-list of the modules that edge imports today would save 0.7 MB and break with every change (measured).
"""

from __future__ import annotations

from fnmatch import fnmatchcase

# Whole folders, and programs that nobody on the board calls.
FOLDERS = (
    "boot",
    "etc/apt etc/ca-certificates etc/cron.d etc/default etc/dpkg etc/init.d etc/kernel etc/initramfs-tools",
    "etc/ld.so.conf.d etc/logrotate.d etc/python3.* etc/python3 etc/udev etc/security etc/pam.d",
    "usr/games usr/include usr/libexec usr/src var",
    "usr/lib/*/audit usr/lib/*/engines-* usr/lib/*/gconv usr/lib/*/perl* usr/lib/*/pkgconfig",
    "usr/lib/binfmt.d usr/lib/debug usr/lib/firmware usr/lib/linux-image-* usr/lib/modules usr/lib/modules-load.d",
    "usr/lib/raspi-firmware usr/lib/ssl/misc usr/lib/systemd usr/lib/sysusers.d usr/lib/tmpfiles.d usr/lib/u-boot",
    "usr/lib/udev usr/lib/modprobe.d usr/lib/python3/dist-packages usr/lib/mime",
    "usr/share/bash-completion usr/share/binfmts usr/share/bug usr/share/debconf usr/share/debianutils usr/share/doc",
    "usr/share/doc-base usr/share/gcc usr/share/gdb usr/share/i18n usr/share/info usr/share/initramfs-tools",
    "usr/share/keyrings usr/share/libc-bin usr/share/lintian usr/share/locale usr/share/man usr/share/menu",
    "usr/share/perl* usr/share/pixmaps usr/share/polkit-1 usr/share/python3 usr/share/readline usr/share/zoneinfo",
    "usr/lib/*/e2fsprogs usr/share/applications usr/share/icons usr/share/libgcrypt20 usr/share/tabset",
)
FILES = (
    "etc/mime.types etc/inputrc etc/bindresvport.blacklist etc/e2scrub.conf etc/ca-certificates.conf etc/gai.conf",
    "usr/bin/py3* usr/bin/pdb3* usr/bin/pydoc3* usr/bin/c_rehash usr/sbin/update-ca-certificates usr/bin/ldd",
    "usr/sbin/e2scrub* usr/sbin/badblocks usr/sbin/debugfs usr/sbin/e2freefrag usr/sbin/e2image usr/sbin/e2undo",
    "usr/sbin/e4crypt usr/sbin/e4defrag usr/sbin/filefrag usr/sbin/mklost+found usr/sbin/logsave usr/bin/chattr",
    "usr/bin/lsattr usr/sbin/e2mmpstatus usr/sbin/dumpe2fs",
    "usr/lib/*/libBrokenLocale.so.1 usr/lib/*/libmemusage.so usr/lib/*/libpcprofile.so",
    "usr/lib/*/libc_malloc_debug.so.0 usr/lib/*/libthread_db.so.1 usr/lib/*/libnss_compat.so.2",
    "usr/lib/*/libnss_hesiod.so.2 usr/lib/*/libnsl.so.1 usr/lib/*/libmvec.so.1 usr/lib/*/ossl-modules/legacy.so",
)
# Modules and packages of the standard library by their first name.
LIBRARY = (
    "test idlelib lib2to3 tkinter turtle turtledemo pydoc pydoc_data ensurepip distutils unittest doctest pdb xmlrpc",
    "curses dbm venv wsgiref smtpd nntplib imaplib poplib ftplib telnetlib mailbox mailcap aifc sunau wave chunk",
    "sndhdr imghdr audioop cgi cgitb profile pstats cProfile webbrowser this antigravity __hello__ __phello__",
    "asynchat asyncore smtplib crypt nis ossaudiodev pipes uu xdrlib msilib binhex pickletools pyclbr tabnanny",
    "trace _pyrepl symtable rlcompleter sre_compile sre_constants sre_parse nturl2path _osx_support _aix_support",
    "_bootsubprocess _android_support _apple_support _ios_support _distutils_system_mod sitecustomize lib-tk bdb",
)
EXTENSIONS = (
    "_test* xx* nis ossaudiodev audioop _curses* _dbm _gdbm _codecs_cn _codecs_hk _codecs_jp _codecs_kr _codecs_tw",
    "_codecs_iso2022 _multibytecodec _lsprof _crypt _tkinter",
)
# Character sets that text on a board comes in; the others are tables of what nobody writes any more.
ENCODINGS = (
    "__init__ aliases ascii base64_codec charmap cp1250 cp1251 cp1252 cp437 cp850 hex_codec idna iso8859_1 iso8859_15"
    " iso8859_2 koi8_r latin_1 mbcs oem punycode quopri_codec raw_unicode_escape rot_13 undefined unicode_escape utf_16"
    " utf_16_be utf_16_le utf_32 utf_32_be utf_32_le utf_7 utf_8 utf_8_sig zlib_codec bz2_codec"
)


def _names(groups: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for group in groups for name in group.split())


_FOLDERS, _FILES, _LIBRARY, _EXTENSIONS = _names(FOLDERS), _names(FILES), _names(LIBRARY), _names(EXTENSIONS)
_ENCODINGS = frozenset(ENCODINGS.split())


def needed(inner: str) -> bool:
    """True when a file of a package belongs into the root."""
    if any(fnmatchcase(inner, name) for name in _FILES):
        return False
    parts = inner.split("/")
    if any(_below(parts, name.split("/")) for name in _FOLDERS):
        return False
    return not (len(parts) > 3 and parts[:2] == ["usr", "lib"] and _python(parts[2])) or _module(parts[3:])


def _python(name: str) -> bool:
    return name.startswith("python3.") and name[8:].isdigit()


def _below(parts: list[str], folder: list[str]) -> bool:
    return len(parts) >= len(folder) and all(map(fnmatchcase, parts, folder))


def _module(parts: list[str]) -> bool:
    """Whether a file of the standard library is needed, by its path in it."""
    first = parts[0].partition(".")[0]
    if parts[0] == "encodings" and len(parts) == 2:
        return parts[1].partition(".")[0] in _ENCODINGS
    if parts[0] == "lib-dynload":
        name = parts[-1].partition(".")[0]
        return not any(fnmatchcase(name, pattern) for pattern in _EXTENSIONS)
    if len(parts) == 1 and not parts[0].endswith(".py"):
        return False  # LICENSE.txt, EXTERNALLY-MANAGED: licences are collected elsewhere
    if "__pycache__" in parts or first.startswith("config-") or not _kept_file(parts[-1]):
        return False
    return not any(fnmatchcase(first, pattern) for pattern in _LIBRARY)


def _kept_file(name: str) -> bool:
    """Data beside modules: grammars of lib2to3 and texts about code are not read at run time."""
    return not name.endswith((".rst", ".txt", ".pickle", ".bat", ".ps1", ".ini", ".exe"))
