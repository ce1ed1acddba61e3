"""The assessment of an audit: who is found by whom, and whether the risk keeps a bound (spec §9.1).

Invariant: a verdict of *within* is given only where every record was attacked or counted as found,
by an attacker whose assumptions held, and the upper end of the interval keeps the bound.
"""
