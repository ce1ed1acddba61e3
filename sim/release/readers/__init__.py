"""From files and tables to cells."""
