"""What all attacks share: contributions, partials, decisions."""
