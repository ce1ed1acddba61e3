"""The compiled loops over postings."""
