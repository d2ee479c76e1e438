#!/usr/bin/env bash
# All checks and tests, from a clean clone on a fresh Debian 12 with Swift; the last lines are those
# of the test runner.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

# openssl: tests read our keys with it, and compose.yaml's keys are created by it. curl: tests call
# the web service with it. jq: an example of a client. jose: a verifier of access tokens.
set_up python3 python3-venv openssl curl jq jose
set_up_python
cd "$root"

say "checking the layout of the Swift code"
git -c safe.directory="$root" ls-files -z --cached --others --exclude-standard '*.swift' |
  grep -zv /Generated/ | xargs -0 swift format lint --strict

say "checking the container files"
"$venv/bin/hadolint" docker/compose/Dockerfile
"$venv/bin/check-jsonschema" --builtin-schema vendor.compose-spec docker/compose/compose.yaml

say "checking the protocol's files"
Protos/check.sh

say "compiling a client's messages in Python from the public .proto files alone"
Tests/Interop/generated-clients.sh python

# The text between the lines of the Swift literal.
say "checking the OpenAPI document"
sed '1,/#"""$/d; /^"""#$/,$d' Sources/WebService/Generated/OpenAPIDocument.swift |
  "$venv/bin/openapi-spec-validator" -

say "checking the scripts"
for script in docker/*.sh docker/*/*.sh .ci/run Protos/*.sh Tests/*/*.sh; do bash -n "$script"; done

say "building programs and tests"
swift build --build-tests

say "building the example of a package outside, in .build/swift-client"
docker/versions.sh Tests/Interop/swift-client .build/swift-client
swift build --package-path Tests/Interop/swift-client --scratch-path .build/swift-client

# If Chromium is installed; docker/soak.sh installs it.
say "mails as a browser shows them, in .build/mail-sheets"
Tests/MailSheets/mail-sheets.sh

# SystemTests includes the Python client.
say "running the tests"
# Sequentially: they measure times, and two cores carry one cluster of programs at a time.
mkdir -p .build
log=.build/tests.log
if ! SWIFT_BACKTRACE=enable=no swift test --no-parallel 2>&1 | tee "$log"; then
  # Repeats the failed tests, which are hard to find among thousands of lines, and the last line.
  say "these failed:"
  grep -aE '^✘ Test .*(recorded an issue|failed after)' "$log" | sort -u | cut -c1-2000 || true
  tail -n 1 "$log"
  exit 1
fi
