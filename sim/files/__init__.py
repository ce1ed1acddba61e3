"""Private files and atomic writes."""
