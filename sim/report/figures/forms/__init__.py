"""Forms of figures: one file each, plain matplotlib, filled by the rows of a plot."""
