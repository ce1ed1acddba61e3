"""The report's page: tables, text, HTML."""
