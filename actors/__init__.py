"""The study on Ray: who holds which blocks, who merges, who hands out the work. No mathematics."""

import os

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when Ray is first imported
