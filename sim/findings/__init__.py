"""What a run found, as data: kinds of findings, risks and verdicts of audits, remedies.

A ``record`` is what ``run.json`` holds of a run, a ``release`` what it holds of the data.
"""
