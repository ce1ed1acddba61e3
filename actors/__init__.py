"""Runs a study on Ray: placement of blocks, distribution of work, merging. No mathematics."""

import os

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when Ray is first imported
