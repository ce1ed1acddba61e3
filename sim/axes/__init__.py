"""The axes of a grid, one file each."""
