"""`python -m gauntlet` is the program `gauntlet`."""

import os
import sys

from .program import program

if __name__ == "__main__":
    path = program()
    os.execv(path, [path, *sys.argv[1:]])
