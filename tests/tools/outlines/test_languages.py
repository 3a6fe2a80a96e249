"""What each language is known by, and the forms that a line by line look gets wrong."""

from __future__ import annotations

import pytest

from edge.tools.outlines.pick import language
from tests.support.outlined import names, scanned


@pytest.mark.parametrize(
    ("name", "first", "wanted"),
    [
        ("a/b.PY", b"", "Python"),
        ("Makefile", b"", "Makefile"),
        ("Makefile.am", b"", "Makefile"),
        ("Dockerfile.arm", b"", "Dockerfile"),
        ("CMakeLists.txt", b"", "CMake"),
        ("boot/config.txt", b"", "INI"),
        ("run", b"#!/usr/bin/env -S python3.11 -u\n", "Python"),
        ("run", b"#!/bin/sh -e\n", "shell"),
        ("run", b"#! /usr/bin/lua5.3\n", "Lua"),
        ("x.h", b"int f(void);\n", "C"),
        ("x.h", b"class A;\n", "C++"),
        ("x.conf.bak", b"", "INI"),
        ("board", b"/dts-v1/;\n/ {\n};\n", "device tree"),
        ("main", b"// x\npackage main\n\nfunc main() {}\n", "Go"),
        ("compose", b"---\na: 1\n", "YAML"),
        ("unit", b"# a\n[Unit]\n", "INI"),
        ("data", b'{"a": 1}\n', "JSON"),
        ("code", b"#include <stdio.h>\nint main() {}\n", "C++"),
        ("script", b"import os\n\ndef f():\n    pass\n", "Python"),
        ("notes.txt", b"The type of a thing\n", "unknown language"),
        ("", b"", "unknown language"),
    ],
)
def test_a_language_is_known_by_name_first_line_or_first_lines(name: str, first: bytes, wanted: str) -> None:
    assert language(name, first) == wanted


def test_depth_is_the_nesting() -> None:
    assert scanned("a.py", "class A:\n  def f(self):\n    def g(): pass\n  def h(self): pass\ndef i(): pass\n") == [
        (1, 0, "class A"),
        (2, 1, "def f(self)"),
        (3, 2, "def g()"),
        (4, 1, "def h(self)"),
        (5, 0, "def i()"),
    ]
    assert [depth for _, depth, _ in scanned("a.rs", "mod a {\n impl B {\n  fn c() {}\n }\n}\nfn d() {}\n")] == [
        0,
        1,
        2,
        0,
    ]
    assert [depth for _, depth, _ in scanned("a.md", "# a\n## b\n### c\n# d\n")] == [0, 1, 2, 0]


def test_a_signature_over_lines_is_one_line_without_comments() -> None:
    assert names("a.py", "def f(a,  # first\n      b=')',\n      ) -> int:\n    pass\n") == ["def f(a, b=')', ) -> int"]
    assert names("a.c", "static int\nf(int a, /* first */\n  char b)\n{\n}\n") == ["static int f(int a, char b)"]
    assert names("a.ts", "export function f(\n  a: {b: number},\n): void {\n}\n") == [
        "export function f( a: {}, ): void"
    ]


def test_python_strings_do_not_hide_or_make_definitions() -> None:
    text = "a = '''\ndef no(): pass\n''' + \"\"\"\nclass No: pass\n\"\"\"\n"
    text += "def yes(b='\"\"\"'): pass\nc = \"'''\"\ndef too(): pass\n"
    assert names("a.py", text) == ['def yes(b=\'"""\')', "def too()"]
    assert names("a.py", 'x = """a \\""" b\ndef no(): pass\n"""\ndef yes(): pass\n') == ["def yes()"]
    assert names("a.py", "y = 'class def no'\nz = undef \nclass A: pass\n") == ["class A"]
    assert names("a.py", '#: """\nasync  def f():\n    pass\n') == ["async def f()"]


def test_markdown_is_exact_about_fences_and_underlines() -> None:
    assert names("a.md", "````\n# no\n```\n# no\n````\n# yes\n") == ["# yes"]
    assert names("a.md", "    ```\n# yes\n    ```\n") == ["# yes"]
    assert names("a.md", "```a`b\n# yes\n") == ["# yes"]
    assert names("a.md", "a\nb\n===\n\n---\n\n- c\n---\n") == ["# a b"]
    assert names("a.md", "#\n####### no\n#no\n   # yes #\n") == ["#", "# yes"]
    assert names("a.md", "---\n# no\n---\n# yes\n<!--\n# no\n-->\n") == ["# yes"]


def test_zig_is_exact_about_what_opens_a_type() -> None:
    assert names("a.zig", "const A = struct { b: fn () void };\nconst C = f(struct {});\n") == ["const A = struct"]
    assert names("a.zig", 'test "a {" {\n}\nconst d = 1;\nfn e(f: *const fn () void) void {}\n') == [
        'test "a {"',
        "fn e(f: *const fn () void) void",
    ]
    assert names("a.zig", "pub const E = error{ A, B };\nconst x = error.A;\nreturn error{};\n") == [
        "pub const E = error"
    ]


def test_a_prototype_is_told_from_a_definition() -> None:
    assert names("a.c", "int f(void);\nint f(void)\n{\n}\n") == ["int f(void);", "int f(void)"]
    assert names("a.c", "int f(a, b)\nint a; char *b;\n{\n}\nint g;\nh(1);\n") == ["int f(a, b)"]


def test_a_macro_before_a_head_is_not_its_name() -> None:
    assert names("a.h", "API_FUNC(int *) f(void);\nEXPORT(x)\nint g(int a);\nBEGIN_DECLS\nstruct h { int i; };\n") == [
        "f(void);",
        "int g(int a);",
        "struct h",
    ]


def test_branches_of_an_if_with_different_braces_do_not_nest_what_follows() -> None:
    text = "#ifdef A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n  return 1;\n}\nint g(void) {\n}\n"
    assert [(line, depth) for line, depth, _ in scanned("a.c", text)] == [(2, 0), (4, 0), (8, 0)]


def test_cpp_members_operators_and_specialised_templates_are_told() -> None:
    text = "template <> struct A<int> : B {\n  A();\n  bool operator()(int) const;\n  int b(0);\n};\n"
    text += "A<int>::A() : B{1} {}\n"
    assert names("a.cpp", text)[:3] == ["struct A<int> : B", "A();", "bool operator()(int) const;"]
    assert names("a.cpp", text)[-1].startswith("A<int>::A()")


def test_functions_that_are_handed_over_are_not_told() -> None:
    text = "on('x', function () {\n});\nit('y', async () => {\n  if (a) {\n  }\n});\nconst f = () => {\n};\n"
    assert names("a.js", text) == ["const f = () =>"]
    assert names("a.js", "a.b['c d'] = function (e) {\n};\nx = y\nz = (1)\n") == ["a.b['c d'] = function (e)"]


def test_here_documents_and_quotes_are_not_code() -> None:
    assert names("a.sh", "cat <<-'A B'\nno() {\nA B\nyes() { :; }\nx='\nno() {\n'\nalso () (\n:\n)\n") == [
        "yes()",
        "also ()",
    ]


def test_settings_give_sections_and_keys() -> None:
    assert names("a.ini", "[a]\nb=c\n[d] ; e\nf = [g]\n") == ["[a]", "[d]"]
    assert names("a.toml", "a = 1\n[b]\nc = '''\n[d]\n'''\n[[e]] # f\n") == ["a = 1", "[b]", "[[e]]"]
    assert names("a.yaml", "a:\n  b:\n    c: 1\n  d: 2\ne: |\n  f:\n") == ["a:", "b:", "e: |"]
    assert names("a.json", '{\n "a": {"b": 1},\n "c:d": [1],\n "e": "f: 1"}\n') == [
        '"a": {...}',
        '"c:d": [...]',
        '"e":',
    ]


def test_build_files_give_targets_and_stages() -> None:
    assert names("Makefile", "a: b\nc := d\ne: f = g\n.PHONY: a\nh i:: j ; k = l\n") == ["a: b", "h i:: j"]
    assert names("Dockerfile", "FROM a AS b\nRUN c\nfrom d\n") == ["FROM a AS b", "from d"]
    assert names("x.cmake", "function(a b)\nset(function)\nendfunction()\n") == ["function(a b)"]


def test_device_tree_nodes_come_with_their_labels() -> None:
    text = "/ {\n\ta: b@1 {\n\t\t#cells = <1>;\n\t};\n};\n&a { };\n&{/b@1} {\n};\n/delete-node/ &c;\n"
    assert scanned("x.dts", text) == [(1, 0, "/"), (2, 1, "a: b@1"), (6, 0, "&a"), (7, 0, "&{/b@1}")]


def test_other_languages_go_by_their_keywords_and_prose_is_none() -> None:
    assert names("a.rb", "class A\n  def b?; end\n=begin\ndef no\n=end\nend\n") == ["class A", "def b?; end"]
    assert names("a.pm", "package A::B;\n=head1 X\n\nsub no\n\n=cut\nsub yes {\n") == ["package A::B", "sub yes"]
    assert names("a.f90", "module a\n  integer function b(c)\n") == ["module a", "integer function b(c)"]
    assert names("notes", "class of things\nfunction and type\nfunction f(x) {\n") == ["function f(x)"]
