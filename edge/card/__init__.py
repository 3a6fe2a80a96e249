"""The card a board starts from, as the board itself sees and changes it: slots, state, updates, first boot, data."""
