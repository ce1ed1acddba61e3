"""What a publisher does to the data before releasing them: one file a defence (spec §11)."""
