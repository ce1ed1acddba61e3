"""``python -m sim``: the same as ``standout``."""

from sim.cli.main import main

if __name__ == "__main__":
    main()
