#!/usr/bin/env python3
"""rest_of_test.py PROGRAM: runs the rows of a test that tests/run leaves out, those that tests/support/whole_test.h adds."""
import os
import subprocess
import sys


def rows(program, whole):
    """Returns "function:row" of every row, or "function" where a function has none; Qt Test prints "Class function row"."""
    environment = {name: value for name, value in os.environ.items() if name != "ATELIER_WHOLE_TESTS"}
    if whole:
        environment["ATELIER_WHOLE_TESTS"] = "1"
    listing = subprocess.run([program, "-datatags"], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [":".join(line.split(" ", 2)[1:]) for line in listing.splitlines()]


program = sys.argv[1]
usual = set(rows(program, whole=False))
rest = [row for row in rows(program, whole=True) if row not in usual]
if not rest:
    sys.exit(f"{program} has no rows that tests/run leaves out")
os.environ["ATELIER_WHOLE_TESTS"] = "1"
os.execv(program, [program, *rest])
