#!/usr/bin/env python3
"""Compares which tests ran on SQLite with which ran on PostgreSQL: none is skipped by its engine.

    compare_runs.py --embedded EMBEDDED [--embedded EMBEDDED…] SERVER [FILTER…]

EMBEDDED and SERVER are files of `swift test --xunit-output`. Of the tests that ran on SQLite, and
match one of the FILTERs of the run on the server, all ran there, but for the suites that
`TestStore.embeddedOnly` names. Prints each that did not, then how many ran; exits with 1 if there
are findings, or if that list is longer than it may be.
"""

import argparse
import fnmatch
import pathlib
import re
import sys
from xml.etree import ElementTree

HERE = pathlib.Path(__file__).resolve().parent
LIST = HERE.parent / "TestSupport/Stores/TestStore.swift"
LIST_MAX = 15


def ran(path):
    """The tests that ran, as `swift test --filter` names them: `Module.Suite/test()`."""
    names = set()
    for case in ElementTree.parse(path).iter("testcase"):
        if case.find("skipped") is None:
            module, _, suites = case.get("classname").partition(".")
            names.add(f"{module}.{suites.replace('.', '/')}/{case.get('name')}")
    return names


def embedded_only():
    """The patterns of suites that cannot run on a server."""
    found = re.search(r"embeddedOnly = \[\n(.*?)\n    \]\n", LIST.read_text(), re.S)
    return re.findall(r'^ *"([^"]+)":', found[1], re.M)


def is_listed(name, patterns):
    """Whether one of a test's suites is in the list."""
    suites = name.partition(".")[2].split("/")[:-1]
    return any(fnmatch.fnmatchcase(suite, pattern) for suite in suites for pattern in patterns)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedded", action="append", required=True)
    parser.add_argument("server")
    parser.add_argument("filters", nargs="*")
    arguments = parser.parse_args()
    patterns, filters = embedded_only(), arguments.filters
    expected = {
        name for path in arguments.embedded for name in ran(path)
        if not filters or any(re.search(pattern, name) for pattern in filters)}
    there = ran(arguments.server)
    missing = sorted(name for name in expected - there if not is_listed(name, patterns))
    for name in missing:
        print(f"ran on SQLite only: {name}")
    if len(patterns) > LIST_MAX:
        print(f"{LIST}: {len(patterns)} entries, at most {LIST_MAX}")
    print(
        f"{len(expected & there)} tests ran on both engines, "
        f"{len(expected - there) - len(missing)} on SQLite only by one of {len(patterns)} reasons, "
        f"{len(there - expected)} on the server only")
    sys.exit(1 if missing or len(patterns) > LIST_MAX or not there else 0)


if __name__ == "__main__":
    main()
