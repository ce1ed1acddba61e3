"""The configuration: its types, its composition by Hydra, overrides."""
