"""From a configuration to a finished run: what the command line and the API both do."""
