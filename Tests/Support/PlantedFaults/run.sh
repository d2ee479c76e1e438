#!/usr/bin/env bash
# Plants faults in flows, one at a time, on a copy of the tree, and requires that the tests find
# each. A fault is a patch; the lines before its diff name the fault, the suite that must fail, and
# words of that failure; `Store: server` if it must fail with a store on a server. Fails as well when
# a patch does not apply or compile any more.
#
#   Tests/Support/PlantedFaults/run.sh [NAME…]
#
# NAME is a patch without its suffix; all of them by default.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../../docker/packages.sh"
source "$here/../tree-copy.sh"

copy=$root/.build/planted-faults/tree
log=$root/.build/planted-faults/tests.log
options=("${test_build[@]}" --scratch-path "$root/.build/planted-faults/scratch")

# A line before a patch's diff: header KEY PATCH.
header() { sed -n "/^diff /q; s/^$1: //p" "$2"; }

# Git must not find the repository around the copy: it would ignore all files of the patch.
change() { GIT_CEILING_DIRECTORIES=${copy%/*} git -C "$copy" apply "$@"; }

find_fault() {
  local patch=$1 suite words store status=0
  suite=$(header 'Found by' "$patch")
  words=$(header Words "$patch")
  store=$(header Store "$patch")
  if [[ $store ]]; then need_packages postgresql-15; fi
  say "[$((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))] $(header Fault "$patch")"
  change "$patch"
  swift build --package-path "$copy" --build-tests "${options[@]}"
  POSTERN_TEST_STORE=${store:-embedded} SWIFT_BACKTRACE=enable=no timeout --signal=INT 10m \
    swift test --package-path "$copy" --skip-build --no-parallel "${options[@]}" \
    --filter "^${suite/./\\.}/" >"$log" 2>&1 || status=$?
  ((status)) || fail "$patch: $suite does not fail"
  grep -aF -- "$words" "$log" | grep -aE '^(✘|↳)' >/dev/null ||
    fail "$patch: $suite fails without the words '$words'; its output is in $log"
  change --reverse "$patch"
}

patches=("$here"/*.patch)
mapfile -t targets < <(sed -n 's/^Found by: \([^.]*\)\..*/\1/p' "${patches[@]}" | sort -u)
copy_tree "$root" "$copy" "${targets[@]}"
# All apply. And the files that an earlier run changed are newer than what it built.
for patch in "${patches[@]}"; do
  change "$patch"
  change --reverse "$patch"
done
if (($#)); then patches=("${@/#/$here/}") && patches=("${patches[@]/%/.patch}"); fi
for patch in "${patches[@]}"; do find_fault "$patch"; done
say "${#patches[@]} planted faults found"
