"""Releases: from files of ratings, or a generator, to a memory-mapped store."""
