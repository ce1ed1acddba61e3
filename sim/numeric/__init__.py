"""Numbers that are the same on every machine: random draws, noise, intervals."""
