"""Which language a file is in: by its name, its first line, its first lines; and who reads that language.

Rules:
1. The name counts first, then a `#!` line, then what the first lines can only be. Case does not matter in an ending.
2. A reader is imported when a file of its language comes.
3. Every file has a reader: what no rule knows is looked at for lines that a keyword leads.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from edge.tools.outlines.text import Entry

    Scan = Callable[[Iterable[bytes]], Iterator[Entry]]

# language -> endings of names
_ENDINGS = {
    "Zig": "zig zon",
    "Markdown": "md markdown mkd mdown mdx",
    "Python": "py pyi pyw pyx",
    "C": "c",
    "C++": "cc cpp cxx c++ h hh hpp hxx h++ ino inl ipp tpp cu cuh",
    "Rust": "rs",
    "Go": "go",
    "JavaScript": "js mjs cjs jsx",
    "TypeScript": "ts tsx mts cts",
    "Java": "java",
    "shell": "sh bash zsh ksh dash ash bats ebuild",
    "Lua": "lua",
    "TOML": "toml",
    "INI": (
        "ini cfg conf cnf desktop service socket timer mount automount target path slice swap network netdev link "
        "nmconnection properties editorconfig gitconfig repo"
    ),
    "YAML": "yaml yml",
    "JSON": "json json5 jsonc webmanifest ipynb geojson",
    "device tree": "dts dtsi dtso overlay",
    "Makefile": "mk mak make",
    "Dockerfile": "dockerfile containerfile",
    "CMake": "cmake",
    "Ruby": "rb rake gemspec",
    "Perl": "pl pm t",
    "Tcl": "tcl exp",
    "Kotlin": "kt kts",
    "C#": "cs",
    "Swift": "swift",
    "PHP": "php",
    "Verilog": "v sv svh",
    "VHDL": "vhd vhdl",
    "protobuf": "proto",
    "Pascal": "pas pp",
    "Ada": "adb ads",
    "Fortran": "f90 f95 f03",
    "Elixir": "ex exs",
    "Scala": "scala",
    "Dart": "dart",
    "Nim": "nim",
    "Julia": "jl",
    "R": "r",
    "GDScript": "gd",
    "Groovy": "groovy gradle",
    "PowerShell": "ps1 psm1",
    "GraphQL": "graphql gql",
    "Solidity": "sol",
    "Haskell": "hs",
    "OCaml": "ml mli",
    "D": "d",
    "Terraform": "tf",
    "Basic": "bas vb",
    "Crystal": "cr",
    "Vala": "vala",
}
_BY_ENDING: dict[str, str] = {}  # the same the other way round, made at the first question
_NAMES = {
    "makefile": "Makefile",
    "gnumakefile": "Makefile",
    "kbuild": "Makefile",
    "dockerfile": "Dockerfile",
    "containerfile": "Dockerfile",
    "cmakelists.txt": "CMake",
    "config.txt": "INI",
    "readme": "Markdown",
    ".bashrc": "shell",
    ".profile": "shell",
    ".bash_profile": "shell",
    ".zshrc": "shell",
    "pkgbuild": "shell",
    "rakefile": "Ruby",
    "gemfile": "Ruby",
    "cargo.lock": "TOML",
    "pipfile": "TOML",
    "sconstruct": "Python",
    "sconscript": "Python",
    ".gitconfig": "INI",
    ".gitmodules": "INI",
    ".editorconfig": "INI",
}
# What a program of a `#!` line is called, less its version.
_PROGRAMS = {
    **dict.fromkeys(("sh", "bash", "dash", "ash", "zsh", "ksh", "busybox", "openrc-run"), "shell"),
    **dict.fromkeys(("python", "pypy", "micropython"), "Python"),
    **dict.fromkeys(("node", "nodejs", "deno", "bun", "qjs"), "JavaScript"),
    **dict.fromkeys(("lua", "luajit", "texlua"), "Lua"),
    **dict.fromkeys(("tclsh", "wish", "expect"), "Tcl"),
    **{"perl": "Perl", "ruby": "Ruby", "make": "Makefile", "php": "PHP", "Rscript": "R", "ts-node": "TypeScript"},
}
_UNKNOWN = "unknown language"


def language(name: str, first: bytes) -> str:
    """The language of a file: `name` is its path, `first` its first bytes."""
    base = name.rstrip("/").rpartition("/")[2].lower()
    while base.endswith((".in", ".orig", ".bak", ".old", ".j2", "~")) and base.strip(".~"):
        base = base[:-1] if base.endswith("~") else base.rpartition(".")[0]
    if base in _NAMES:
        return _NAMES[base]
    ending = base.rpartition(".")[2] if "." in base else ""
    if not _BY_ENDING:
        _BY_ENDING.update((one, found) for found, endings in _ENDINGS.items() for one in endings.split())
    if ending in _BY_ENDING:
        return _c_or_not(_BY_ENDING[ending], ending, first)
    if base.startswith(("makefile.", "dockerfile.", "containerfile.")):
        return "Makefile" if base[0] == "m" else "Dockerfile"
    return _by_program(first) or _by_text(first) or _UNKNOWN


def _c_or_not(found: str, ending: str, first: bytes) -> str:
    """An ending that two languages share."""
    if ending in ("t", "d", "exp", "r", "v", "path", "link", "target") and first.startswith(b"#!"):
        return _by_program(first) or found
    if ending == "h" and not any(mark in first for mark in (b"class ", b"namespace ", b"template", b"std::")):
        return "C"
    if ending == "pl" and b":- " in first:
        return _UNKNOWN
    return found


def _by_program(first: bytes) -> str:
    if not first.startswith(b"#!"):
        return ""
    words = first.partition(b"\n")[0][2:].decode("utf-8", "replace").split()
    names = [word.rpartition("/")[2] for word in words if not word.startswith("-") and "=" not in word]
    if names[:1] == ["env"]:
        names = names[1:]
    for name in names[:1]:
        return _PROGRAMS.get(name) or _PROGRAMS.get(name.rstrip("0123456789.")) or ""
    return ""


def _by_text(first: bytes) -> str:
    """What the first lines can only be."""
    lines = [line.strip() for line in first.split(b"\n")[:60]]
    told = [line for line in lines if line and not line.startswith((b"#", b";", b"//", b"/*", b"*"))]
    if any(line.startswith((b"#include <", b'#include "', b"#ifndef ", b"#pragma ")) for line in lines):
        return "C++"
    if not told:
        return ""
    if told[0].startswith((b"/dts-v1/", b"/plugin/")):
        return "device tree"
    if told[0].startswith(b"package ") and b"func " in first:
        return "Go"
    if told[0].startswith(b"<?php"):
        return "PHP"
    if told[0] == b"---" or told[0].startswith(b"%YAML"):
        return "YAML"
    if told[0].startswith(b"[") and told[0].endswith(b"]"):
        return "INI"
    if told[0] == b"{" or told[0].startswith(b'{"'):
        return "JSON"
    if sum(line.startswith((b"def ", b"class ", b"import ", b"from ")) for line in told) > 1 and b":\n" in first:
        return "Python"
    return ""


def scanner(name: str) -> Scan:
    """Who reads a language."""
    own = _programming(name) or _settings(name)
    if own is not None:
        return own
    from edge.tools.outlines import keywords

    return keywords.cmake if name == "CMake" else keywords.of("" if name == _UNKNOWN else name)


def _programming(name: str) -> Scan | None:
    if name == "Python":
        from edge.tools.outlines.python import scan
    elif name in ("C", "C++"):
        from edge.tools.outlines.clike import scan
    elif name == "Zig":
        from edge.tools.outlines.zig import scan
    elif name in ("JavaScript", "TypeScript"):
        from edge.tools.outlines.script import scan
    elif name == "Rust":
        from edge.tools.outlines.rust import scan
    elif name == "Go":
        from edge.tools.outlines.go import scan
    elif name == "Java":
        from edge.tools.outlines.java import scan
    elif name == "Lua":
        from edge.tools.outlines.lua import scan
    elif name == "shell":
        from edge.tools.outlines.shell import scan
    else:
        return None
    return scan


def _settings(name: str) -> Scan | None:
    if name == "Markdown":
        from edge.tools.outlines.markdown import scan

        return scan
    if name == "device tree":
        from edge.tools.outlines.devicetree import scan

        return scan
    if name in ("Makefile", "Dockerfile"):
        from edge.tools.outlines import make

        return make.makefile if name == "Makefile" else make.dockerfile
    if name in ("INI", "TOML", "YAML", "JSON"):
        from edge.tools.outlines import settings

        return {"INI": settings.ini, "TOML": settings.toml, "YAML": settings.yaml, "JSON": settings.json}[name]
    return None
