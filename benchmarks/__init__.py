"""Compares the cost of Standout with that of its peers: ``python -m benchmarks``.

Invariant: nothing here asserts a time. Ours and a peer do the same work in turns in one run, their
results are compared, and what counts is the ratio.
"""
