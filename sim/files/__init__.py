"""Private files, atomic writes and digests."""
