"""One short template for each kind of finding, by area."""
