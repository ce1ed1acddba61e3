"""The papers' claims as data, and how results compare with them."""
