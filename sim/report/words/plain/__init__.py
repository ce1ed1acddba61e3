"""The first page of a report, in everyday words: for those who decide, and have no statistics.

Invariant: every share stands beside the count of people that it is a share of, and what was left
out or not tested is named; no symbol of the papers and no word of the trade.
"""
