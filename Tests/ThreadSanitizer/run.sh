#!/usr/bin/env bash
# The RPC tests under ThreadSanitizer, on a copy of the tree in which each module has a Mutex that
# the sanitizer sees through (Mutex.swift). Fails with any race that suppressions.txt does not
# explain. The figures of idle connections are left out: the sanitizer's own memory is in them.
#
#   Tests/ThreadSanitizer/run.sh [FILTER]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
copy="$root/.build/thread-sanitizer/tree"
filter=${1:-^RPCTests\\.}

rm -rf "$copy"
mkdir -p "$copy"
# With their times, so that another run compiles only what has changed.
cp -rp "$root"/{Package.swift,Sources,Tests,Protos} "$copy"
if [[ -f $root/Package.resolved ]]; then cp -p "$root/Package.resolved" "$copy"; fi
rm -r "$copy/Tests/ThreadSanitizer"
for module in "$copy"/Sources/* "$copy"/Tests/*; do
  if grep -rqs --include='*.swift' 'Mutex[<(]' "$module"; then
    cp -p "$here/Mutex.swift" "$module/SanitizedMutex.swift"
  fi
done

cd "$copy"
options=(--sanitize=thread --scratch-path "$root/.build/thread-sanitizer/scratch")
swift build --build-tests "${options[@]}"
SWIFT_BACKTRACE=enable=no \
  TSAN_OPTIONS="exitcode=66 suppressions=$here/suppressions.txt" \
  swift test --skip-build --no-parallel "${options[@]}" --filter "$filter" --skip IdleMemory
