"""The records of a run: ledger, provenance, results."""
