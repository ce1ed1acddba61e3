"""Figures as plain data, which measurements state and reports draw."""
