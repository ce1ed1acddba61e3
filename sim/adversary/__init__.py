"""The adversary's knowledge: targets, auxiliary information and its randomness."""
