"""Files that only their owner can read, written in whole or not at all."""
