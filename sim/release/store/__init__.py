"""From cells to a memory-mapped store."""
