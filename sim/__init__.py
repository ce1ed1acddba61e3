"""Standout measures how identifiable the people in a sparse dataset are."""
