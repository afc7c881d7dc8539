"""The command line program: ``python -m quadrille solve puzzles.txt``."""

import signal
import sys

from . import _main


def main() -> None:
    """Runs the program with the arguments of this process and exits with its status."""
    # The program handles signals itself; Python's handler would only act after it returns.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_main())


if __name__ == "__main__":
    main()
