"""The program itself: ``python -m quadrille solve puzzles.txt``."""

import signal
import sys

from . import _main


def main() -> None:
    """Runs the program with the arguments of this process, and ends the process with its exit status."""
    # The program has handlers of its own; Python's would only take note of a signal while it runs.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_main())


if __name__ == "__main__":
    main()
