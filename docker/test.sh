#!/usr/bin/env bash
# All checks and tests, from a clean clone on a fresh Debian 12 with Swift; the last lines are the
# test runner's own.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

# openssl: keys of ours are read by it, and compose.yaml's are made by it.
set_up python3 python3-venv openssl
set_up_python
cd "$root"

say "checking the layout of the Swift code"
git -c safe.directory="$root" ls-files -z --cached --others --exclude-standard '*.swift' |
  grep -zv /Generated/ | xargs -0 swift format lint --strict

say "checking the container files"
"$venv/bin/hadolint" docker/Dockerfile
"$venv/bin/check-jsonschema" --builtin-schema vendor.compose-spec docker/compose.yaml
for script in docker/*.sh .ci/run Protos/*.sh Tests/*/*.sh; do bash -n "$script"; done

say "building programs and tests"
swift build --build-tests

# Where Chromium is there; docker/soak.sh installs it.
say "mails as a browser shows them, in .build/mail-sheets"
Tests/MailSheets/mail-sheets.sh

# With the client in another language, by SystemTests.
say "running the tests"
# One after the other: they measure waits, and two cores carry one cluster of programs at a time.
mkdir -p .build
log=.build/tests.log
if ! SWIFT_BACKTRACE=enable=no swift test --no-parallel 2>&1 | tee "$log"; then
  # Among thousands of lines nobody finds what failed, so it is said again, with the runner's last.
  say "these failed:"
  grep -aE '^✘ Test .*(recorded an issue|failed after)' "$log" | sort -u | cut -c1-2000 || true
  tail -n 1 "$log"
  exit 1
fi
