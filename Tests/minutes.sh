#!/usr/bin/env bash
# Prints the minutes and the number of tests of each suite (test target), from the XML file of
# `swift test --xunit-output`.
#
#   Tests/minutes.sh FILE
set -euo pipefail

sed -nE 's/.*<testcase classname="([^."]+)[^"]*" .*time="([0-9.]+)".*/\1 \2/p' "$1" |
  awk '{ seconds[$1] += $2; tests[$1] += 1 }
    END { for (name in tests) printf "%6.1f min %5d tests  %s\n", seconds[name] / 60, tests[name], name }' |
  sort -rn
