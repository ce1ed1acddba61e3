"""The attacks: how each scores the records, and how scores become decisions."""
