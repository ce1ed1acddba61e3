"""What is computed from decisions: measures per grid cell, curves, intervals, risk."""
