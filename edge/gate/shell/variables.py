"""Variables of the environment: which only change wording, which change what runs. Pure."""

from __future__ import annotations

from edge.gate.shell.marks import known, names

# Variables that only change how something is said.
HARMLESS = names(
    "LANG LANGUAGE TZ TERM COLUMNS LINES NO_COLOR CLICOLOR BLOCK_SIZE BLOCKSIZE TIME_STYLE QUOTING_STYLE "
    "GREP_COLORS GREP_COLOR LS_COLORS SYSTEMD_COLORS SYSTEMD_URLIFY OPTIND OPTARG REPLY DEBIAN_FRONTEND"
)


# What they name is looked for in files: a path in them leads to files of the project.
_NAMED = names("LANG LANGUAGE TERM")


_PAGERS = frozenset(["PAGER", "SYSTEMD_PAGER", "GIT_PAGER", "MANPAGER"])


# What changes which programs run and how, wherever it is set.
POISON = names(
    "PATH IFS ENV BASH_ENV HOME SHELL PWD OLDPWD CDPATH PS1 PS2 PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS "
    "GLOBIGNORE EDITOR VISUAL BROWSER TMPDIR USER LOGNAME MAIL FCEDIT FPATH HISTFILE EXECIGNORE "
    "HOSTALIASES LOCPATH NLSPATH GCONV_PATH RES_OPTIONS TAR_OPTIONS GZIP XZ_OPT XZ_DEFAULTS BZIP2 GREP_OPTIONS "
    "AWKPATH AWKLIBPATH MANOPT MANPATH POSIXLY_CORRECT GETCONF_DIR TERMINFO TERMINFO_DIRS TERMCAP MAKEFLAGS CC "
    "CFLAGS DISPLAY"
)


_POISON_STARTS = (
    "LD_",
    "GIT_",
    "PYTHON",
    "PERL",
    "RUBY",
    "NODE_",
    "LESS",
    "BASH_",
    "MALLOC_",
    "GLIBC_",
    "XDG_",
    "DBUS_",
    "SSH_",
    "SYSTEMD_",
    "SUDO_",
    "MAN",
    "RIPGREP_",
    "PIP_",
    "APT_",
    "DPKG_",
    "LUA_",
    "JAVA_",
    "CURL_",
    "WGET",
    "DOCKER_",
)


def harmless(name: str, value: str) -> bool:
    """True when `name=value` before a program changes nothing but wording."""
    if name in _PAGERS:
        return value in ("", "cat")
    if name in _NAMED or name.startswith("LC_"):
        return "/" not in value and known(value)
    return name in HARMLESS


def poison(name: str) -> bool:
    """True when setting `name` may change which programs run, or how, even if it is not exported anew."""
    return name in POISON or (name.startswith(_POISON_STARTS) and name not in HARMLESS) or name.endswith("PAGER")
