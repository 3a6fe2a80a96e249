"""Whether this Python's SQLite can hold an index of trigrams, asked of SQLite itself and not of what is tested."""

from __future__ import annotations


def why_not() -> str:
    """Why there can be no index here, "" when there can."""
    try:
        import sqlite3
    except ImportError:
        return "this Python has no SQLite"
    base = sqlite3.connect(":memory:")
    try:
        base.execute("CREATE VIRTUAL TABLE word USING fts5(text, tokenize='trigram')")
    except sqlite3.OperationalError as error:
        return f"this Python's SQLite has no FTS5 with trigrams: {error}"
    finally:
        base.close()
    return ""
