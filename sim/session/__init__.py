"""From a configuration to a finished run, for the command line and the API."""
