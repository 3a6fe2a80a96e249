"""Which lines of a text begin a definition: one small module for each family of languages, all of them pure.

Rules:
1. A scanner takes blocks of whole lines (bytes) and yields entries in about the order of the file; it keeps nothing
   that grows with the file.
2. It looks at lines and marks, never at meaning: a broken file has an outline too, and nothing raises.
3. Strings, comments and here-documents do not fool it, also when they span lines.
4. The line of an entry is the line of the name that is defined there.
"""
