"""Runs a study on Ray: placement of blocks, distribution of work, merging. No mathematics."""

import logging
import os
import warnings

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when Ray is first imported
# In a notebook, Ray asks for widgets when it is imported and started, which nothing here shows.
warnings.filterwarnings("ignore", message="IProgress not found")
logging.getLogger("ray.widgets.util").setLevel(logging.WARNING)
