"""What a run found, as data: kinds of findings, their thresholds and remedies."""
