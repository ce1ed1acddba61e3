"""What a table seems to be, by a sample of its cells: whether its rows are events of people."""
