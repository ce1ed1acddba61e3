"""The engine of all attacks: contributions, partials, decisions."""
