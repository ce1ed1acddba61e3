"""Readers: files and tables in, cells out."""
