"""The study on Ray: who holds which blocks, who merges, who hands out the work. No mathematics."""

import os

# Ray reads these when it is first imported.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "error")  # its warnings are for its developers
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
