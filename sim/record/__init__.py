"""What a run writes down: ledger, provenance, results."""
