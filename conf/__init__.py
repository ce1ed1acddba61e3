"""Experiment configurations: values and comments only, no logic."""
