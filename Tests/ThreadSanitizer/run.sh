#!/usr/bin/env bash
# The tests of one module, RPC's unless told, under ThreadSanitizer: on a copy of the tree in which
# each module has a Mutex that the sanitizer sees through (Mutex.swift). Fails with any race that
# suppressions.txt does not explain. The figures of idle connections are left out: the sanitizer's
# own memory is in them.
#
#   Tests/ThreadSanitizer/run.sh [TESTS [FILTER]]
#
# TESTS is a test target (RPCTests); only it and what it needs is built. FILTER is a regular
# expression as `swift test --filter` takes it: all of them, unless told.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
source "$root/Tests/Support/tree-copy.sh"
copy="$root/.build/thread-sanitizer/tree"
tests=${1:-RPCTests}
filter=${2:-^$tests\\.}
if [[ ! -d $root/Tests/$tests ]]; then
  printf 'error: there are no tests called %s\n' "$tests" >&2
  exit 1
fi

copy_tree "$root" "$copy" "$tests"
rm -r "$copy/Tests/ThreadSanitizer"
for module in "$copy"/Sources/* "$copy"/Tests/* "$copy"/Tests/Support/*; do
  if grep -rqs --include='*.swift' 'Mutex[<(]' "$module"; then
    cp -p "$here/Mutex.swift" "$module/SanitizedMutex.swift"
  fi
done

cd "$copy"
# The stand-in leaves imports unused, which is no error here.
sed -i '/treatAllWarnings/d' Package.swift
options=(--sanitize=thread --scratch-path "$root/.build/thread-sanitizer/scratch")
swift build --build-tests "${options[@]}"
SWIFT_BACKTRACE=enable=no \
  TSAN_OPTIONS="exitcode=66 suppressions=$here/suppressions.txt" \
  swift test --skip-build --no-parallel "${options[@]}" --filter "$filter" --skip IdleMemory
