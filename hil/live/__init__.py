"""A board that a person works with: its card and its folder, the terminal, and who comes in from a second one."""
