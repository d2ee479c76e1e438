#!/usr/bin/env bash
# Builds the fuzz targets and runs each for some seconds, starting from the committed corpus. An
# input that breaks a rule is kept in Tests/Fuzzing/.build/found, and the script fails. --keep
# merges new inputs into the corpus, which the normal tests then run too.
#
#   Tests/Fuzzing/run.sh [SECONDS] [--keep] [TARGET…]      default: 60 seconds each, all targets
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "SECONDS is a number from 1" >&2; exit 64; }
shift || true
keep=
[[ ${1:-} != --keep ]] || { keep=1; shift; }
targets=(
  frames envelopes calls messages proxy-headers forwarded-addresses web-frames request-heads
  request-json http1 http2 passkeys
)
(($# == 0)) || targets=("$@")
# Longest input in bytes: enough for some frames, short enough to stay quick.
input_bytes_max=2048

toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
POSTERN_FUZZER_LIBRARY=$(
  find "$toolchain/lib/clang" -name 'libclang_rt.fuzzer_no_main-*.a' -print -quit)
[[ -n $POSTERN_FUZZER_LIBRARY ]] || { echo "this toolchain has no libFuzzer" >&2; exit 1; }
export POSTERN_FUZZER_LIBRARY
# The crash handler can hang in a process that aborts on purpose.
export SWIFT_BACKTRACE=enable=no

build=${POSTERN_FUZZ_BUILD:-$here/.build}
"$here/../../docker/versions.sh" "$here" "$build"
# Optimised for speed, and testable, since the targets use internal declarations.
swift build --package-path "$here" --scratch-path "$build" -c release \
  -Xswiftc -enable-testing --product fuzz
program=$(swift build --package-path "$here" --scratch-path "$build" -c release --show-bin-path)/fuzz
mkdir -p "$build/found"
failed=0

for target in "${targets[@]}"; do
  corpus=$here/Corpus/$target
  fresh=$build/corpus/$target
  mkdir -p "$fresh" "$corpus"
  export POSTERN_FUZZ_TARGET=$target
  echo "==> $target, $seconds s" >&2
  "$program" "$fresh" "$corpus" "-max_total_time=$seconds" "-max_len=$input_bytes_max" \
    -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
    "-artifact_prefix=$build/found/$target-" 2>&1 |
    grep -E 'FOUND|SUMMARY|DONE|stat::number|ERROR' >&2 || failed=1
  if [[ -n $keep ]]; then
    # The smallest set of inputs with the same coverage.
    "$program" -set_cover_merge=1 "-max_len=$input_bytes_max" "$corpus" "$fresh" 2>&1 |
      tail -n1 >&2
  fi
done
((failed == 0))
