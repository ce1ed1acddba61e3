"""Studies: grids, runs, curves and their intervals, theory."""
