"""Results for people: pictures, tables, and what the papers state beside them."""
