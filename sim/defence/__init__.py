"""Changes by the publisher before the release, one file per defence (spec §11)."""
