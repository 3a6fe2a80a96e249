"""What speaks to other libraries: the only place where they are imported. The agent itself never loads it."""
