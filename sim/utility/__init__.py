"""The usefulness of a release before and after its defences, one file per measure."""
