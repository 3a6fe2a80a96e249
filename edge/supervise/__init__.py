"""The supervisor of a board: feeds the hardware watchdog only while what runs is live, and has a new slot confirmed."""
