#!/usr/bin/env bash
# An upgrade and its way back without a failed call: rolls each program from the build before to this
# checkout's and back, one after the other, under mixed flows with two gateways and two web services;
# then everything that was acknowledged is read back. Fails if a call failed, also one that was repeated
# for 2 s while a single store restarted. Last it plants a migration that drops a column which the build
# before reads, and fails if that costs no call.
#
#   docker/upgrade.sh [RATE]      calls a second, 200
#
# Both are built for release, the build before in .build/before as `docker/bench.sh --against` does it.
# The first time takes two complete builds, later ones the five minutes of the rolls.
set -euo pipefail

# The commit before the last change of a store or of a call between programs; moved with each.
former=6ab91e19
# Methods whose calls are known to fail while the two run side by side, as CHANGES.md says: moved with
# `former`, and empty if possible.
without=(AccountSessions/Reauthenticate)

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
source "$root/Tests/Benchmarks/against.sh"

rate=${1:-200}
[[ $rate =~ ^[1-9][0-9]*$ ]] || fail "RATE is a number from 1"

before=$root/.build/before
# The programs of each build, since the next one writes over them.
kept=$root/.build/upgrade

# Builds the target or product ($3 $4) of the tree $1 with the scratch folder $2, with the options of
# docker/bench.sh, and sets $built to the folder of its programs.
build_tree() {
  local options=(--package-path "$1" --scratch-path "$2" -c release --static-swift-stdlib)
  "$1/docker/versions.sh" "$1" "$2"
  swift build "${options[@]}" "$3" "$4" >&2 || fail "building $1 failed"
  built=$(swift build "${options[@]}" --show-bin-path)
}

# Copies the programs in $built to the folder $1.
keep_programs() {
  rm -rf "$1"
  mkdir -p "$1"
  cp --reflink=auto "${programs[@]/#/$built/}" "$1"
}

roll() { /usr/bin/python3 "$root/Tests/Interop/rolling.py" --former "$kept/former" "$@"; }

# Gives the session service of the build before one more migration, which moves a column to another
# name, and has its own statements use that one. $1 and $2: the files of its tables and its statements.
plant() {
  local tables=$1 store=$2 last
  last=$(sed -n 's/^ *Migration(number: \([0-9]*\),.*/\1/p' "$tables" | sort -n | tail -n1)
  sed -i "0,/^    \]\$/s//        Migration(number: $((last + 1)), sql: planted),\n    ]\n\n\
    private static let planted = \"\"\"\n\
        ALTER TABLE session ADD COLUMN opened_by BLOB;\n\
        UPDATE session SET opened_by = agent;\n\
        ALTER TABLE session DROP COLUMN agent;\n\
        \"\"\"/" "$tables"
  sed -i 's/place, agent\b/place, opened_by/; s/optionalBlob("agent")/optionalBlob("opened_by")/' \
    "$store"
  grep -q 'sql: planted)' "$tables" && (($(grep -c opened_by "$store") == 3)) ||
    fail "the column agent is read elsewhere now: plant the fault anew"
}

set_up
need_packages python3
revision=$(git -c safe.directory="$root" -C "$root" rev-parse --verify --quiet "$former^{commit}") ||
  fail "the clone does not have the commit $former: git fetch --unshallow"
check_out_before "$revision" "$before"
say "building the programs of ${former}"
build_tree "$before" "$before/.build" --target Programs
keep_programs "$kept/former"
say "building this checkout's programs"
build_tree "$root" "$root/.build" --target Programs
keep_programs "$kept/present"

say "rolling to this checkout's programs and back, at $rate calls a second"
roll --present "$kept/present" --rate "$rate" "${without[@]/#/--without=}"

say "rolling to a build that drops a column, and back"
# A run that is killed in between leaves no checkout that passes for the commit.
rm "$before/.revision"
sources=("$before"/Sources/SessionService/{SessionTables,Sessions/SessionStore}.swift)
for source in "${sources[@]}"; do cp -p "$source" "$kept"; done
plant "${sources[@]}"
build_tree "$before" "$before/.build" --product postern-session
keep_programs "$kept/planted"
# In place, with their times: another checkout would be built from the start.
for source in "${sources[@]}"; do
  cat "$kept/${source##*/}" >"$source"
  touch -r "$kept/${source##*/}" "$source"
done
echo "$revision" >"$before/.revision"
status=0
roll --present "$kept/planted" --rate 50 --pause 2 --only session || status=$?
((status == 3)) || fail "the build that drops a column ended with $status, and should have failed calls"
say "it failed calls, as it should"
