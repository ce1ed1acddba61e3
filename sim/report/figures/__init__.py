"""Figures as data: one file for each figure, four types of mark, one page layout."""
