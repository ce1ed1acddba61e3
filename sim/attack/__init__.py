"""The attacks: what each gives every record as a score, and what is decided from the scores."""
