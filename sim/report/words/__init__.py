"""The report's sentences, computed from result tables."""
