"""Measurements of a release as a whole: one file or folder each."""
