"""What `python -m hil` knows, one module a verb."""
