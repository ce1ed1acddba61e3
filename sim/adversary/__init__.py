"""What the adversary knows: targets, auxiliary information and its randomness."""
