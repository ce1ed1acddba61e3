"""Measures of decisions: per grid cell, curves, intervals, risk."""
