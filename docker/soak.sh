#!/usr/bin/env bash
# The long loops, whole: programs killed at random under load, again and again. docker/test.sh runs
# a few rounds of each.
#
#   docker/soak.sh [ROUNDS]      default: 200
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

rounds=${1:-200}
[[ $rounds =~ ^[1-9][0-9]*$ ]] || fail "ROUNDS is a number from 1"
set_up
cd "$root"
say "building programs and tests"
swift build --build-tests
say "killing programs under load, $rounds rounds"
POSTERN_SOAK_ROUNDS=$rounds SWIFT_BACKTRACE=enable=no swift test --filter '^SystemTests\.'
