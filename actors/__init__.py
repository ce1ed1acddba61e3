"""The study on Ray: who holds which blocks, who merges, who hands out the work. No mathematics."""
