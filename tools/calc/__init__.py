"""The calculator: text of an expression -> quantities with units, without any evaluation of code.

`words.py` cuts the text, `parse.py` reads it with a table of precedences and computes as it goes, `quantity.py` holds
values with dimensions, `units.py` the units, `functions.py` what can be called, `show.py` the result as text.
"""
