"""Serial ports. The real ones are opened through edge/peripherals/via/port.py; the double is model.py.

Both are a `Line`: `read(seconds)` gives what came, `write(data, seconds)` how much of it left in time, `close()`.
"""
