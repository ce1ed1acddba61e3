"""The first screen of each kind of run, one file each."""
