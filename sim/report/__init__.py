"""Reports: figures, tables, and a comparison with the papers."""
