"""What a publisher does to a release before publishing it."""
