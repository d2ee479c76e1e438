#!/usr/bin/env bash
# All checks and tests, from a clean clone on a fresh Debian 12 with Swift; the last lines are those
# of the test runner.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

# Says what is done next, after how many minutes.
step() { say "[$((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))] $*"; }

# openssl: tests read our keys with it, and compose.yaml's keys are created by it. curl: tests call
# the web service with it. jq: an example of a client. jose: a verifier of access tokens.
# oathtool: the authenticator app of the pages for users.
# postgresql-15: every SQL text is prepared on it, and stores of tests are on it.
set_up python3 python3-venv openssl curl jq jose oathtool postgresql-15
set_up_python
cd "$root"

step "checking the layout of the Swift code"
git -c safe.directory="$root" ls-files -z --cached --others --exclude-standard '*.swift' |
  grep -zv /Generated/ | xargs -0 swift format lint --strict

step "checking the container files"
"$venv/bin/hadolint" docker/compose/Dockerfile
"$venv/bin/check-jsonschema" --builtin-schema vendor.compose-spec docker/compose/compose.yaml

step "checking the protocol's files"
Protos/check.sh

step "compiling a client's messages in Python from the public .proto files alone"
Tests/Interop/generated-clients.sh python

step "checking the OpenAPI document"
"$venv/bin/openapi-spec-validator" Sources/COpenAPI/Generated/openapi.json

step "checking the scripts"
for script in docker/*.sh docker/*/*.sh .ci/run Protos/*.sh Sources/*/*.sh Tests/{,*/,*/*/}*.sh; do
  bash -n "$script"
done

step "building programs and tests"
swift build --build-tests "${test_build[@]}"

# If Chromium is installed; docker/soak.sh installs it.
step "mails as a browser shows them, in .build/mail-sheets"
Tests/MailSheets/mail-sheets.sh

memory='' second_run=''
clean_up() {
  if [[ $second_run ]]; then kill "$second_run" || true; fi
  if [[ $memory ]]; then rm -rf "$memory"; fi
}
trap clean_up EXIT

# The tests' stores are in memory if there is room: they would wait for the disk most of the time.
if [[ -z ${TMPDIR:-} && $(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) -ge 4194304 ]]; then
  memory=$(mktemp -d /dev/shm/postern-test.XXXXXX)
  # PostgreSQL's own user passes through it: a server of the tests has its folder below it.
  chmod 711 "$memory"
  export TMPDIR=$memory
fi

# Runs tests one after the other, since they measure times: run_tests NAME [OPTION…]. Not by
# `swift test`, of which two do not run at once. NO_COLOR: failed tests are looked for in the logs.
run_tests() {
  # A run that was ended has no such file.
  rm -f ".build/$1.xml"
  NO_COLOR=1 SWIFT_BACKTRACE=enable=no exec timeout --signal=INT 55m \
    .build/debug/PosternPackageTests.xctest --testing-library swift-testing --no-parallel \
    --xunit-output ".build/$1.xml" "${@:2}" 2>&1
}

# Prints the minutes of each suite of a run.
show_minutes() {
  step "minutes of each suite of the $1 run"
  if [[ -f .build/$1.xml ]]; then Tests/minutes.sh ".build/$1.xml" >&2; fi
}

status=0

# Stores on PostgreSQL: all suites of the store and of three services; of the others those that
# write about an account from two sides, repeat or purge; and flows through the built programs.
# docker/soak.sh runs all.
on_server=(
  '^(StorageTests|SessionServiceTests|RateLimitServiceTests|NotificationServiceTests)\.'
  '^IdentityServiceTests\.(AccountAdmin|AccountData|AccountDeletions|ChangeDocuments)Tests/'
  '^IdentityServiceTests\.(ChangePassword|ChooseGuestData|Claim|CompleteOnboarding)Tests/'
  '^IdentityServiceTests\.(ConfirmEmail|DeletionCrash|DeletionOperator|DeletionSteps)Tests/'
  '^IdentityServiceTests\.(EmailChange|Export|ExportWork|FederatedSignInRace)Tests/'
  '^IdentityServiceTests\.(FederatedSignInRepeat|FormerRepeat|GoneCaller|GuestSettlement)Tests/'
  '^IdentityServiceTests\.(IdentityPurges|IdentityRestore|ImportedIDPurge|LinkPhone)Tests/'
  '^IdentityServiceTests\.(Method|MigrationJob|OutboxDelivery|ParentalConsent|Photo)Tests/'
  '^IdentityServiceTests\.(RegisterRepeat|RequestCode|ResetPassword|RetryMigration)Tests/'
  '^IdentityServiceTests\.(SettleGuesses|SignInWithCode|TakenAddress|TakenChange)Tests/'
  '^IdentityServiceTests\.(Takeover|UnusedGuests|UploadGuestBundle|VerifyPassword)Tests/'
  '^IdentityServiceTests\.WriteDocumentsTests/'
  # Second factors, passkeys, and accounts in a backend's hands.
  '^IdentityServiceTests\.(AddPasskey|ChangeAccount|CompleteChallenge)Tests/'
  '^IdentityServiceTests\.(CreateAccount|FactorSignIn|IssueLink|PasskeyRaces)Tests/'
  '^IdentityServiceTests\.(RecoveryCode|SecondFactorReset|SetClaims|SignInWithPasskey)Tests/'
  '^IdentityServiceTests\.(OwnerFacts|SessionLink|UnsentClaims|VoidedChallenge)Tests/'
  '^GatewayServiceTests\.(AccountDeletion|AccountSessions|AutomaticLinking|Collision)Tests/'
  '^GatewayServiceTests\.(GuestUpgrade|Idempotency|LostGuess|PhoneSignIn|Refresh)Tests/'
  '^GatewayServiceTests\.(RepeatedStates|ResetPassword|SignIn|SignUp)Tests/'
  # Mail, password, provider, phone code, refresh, reset, documents, photo, guest, deletion, export.
  '^SystemTests\.SystemTests/(Flows|Sessions|Passwords|Phones)/'
  '^SystemTests\.SystemTests/Stories/(Login|Profile|AnonymousFirst|AccountDeletionFlow)/'
)
# Two at a time, each with a core: the suites of the gateway follow those on PostgreSQL.
step "running the tests in two processes, of which one begins with those whose stores are on PostgreSQL"
second_lane() {
  local failed=0 run=''
  trap 'kill "$run"; exit 143' TERM
  (POSTERN_TEST_STORE=server run_tests server "${on_server[@]/#/--filter=}") >.build/server.log &
  run=$!
  wait "$run" || failed=$?
  (run_tests gateway --filter '^GatewayServiceTests\.') >.build/gateway.log &
  run=$!
  wait "$run" || failed=$?
  exit "$failed"
}
second_lane &
second_run=$!
(run_tests units --skip '^(SystemTests|GatewayServiceTests)\.') | tee .build/units.log || status=$?
show_minutes units
wait "$second_run" || status=$?
second_run=''
show_minutes server
show_minutes gateway

# Alone: two cores carry one cluster of programs at a time. Includes the Python client.
step "running the tests of the built programs"
(run_tests system --filter '^SystemTests\.') | tee .build/system.log || status=$?
show_minutes system

if [[ -f .build/units.xml && -f .build/gateway.xml && -f .build/system.xml && -f .build/server.xml ]]; then
  step "comparing which tests ran on which engine"
  Tests/Support/PostgreSQL/compare_runs.py --embedded .build/units.xml \
    --embedded .build/gateway.xml --embedded .build/system.xml .build/server.xml \
    "${on_server[@]}" >&2 || status=$?
fi
if ((status)); then
  # Repeats the failed tests, which are hard to find among thousands of lines.
  say "these failed:"
  grep -ahE '^✘ Test .*(recorded an issue|failed after)' .build/{units,gateway,system,server}.log |
    sort -u | cut -c1-2000 || true
fi
tail -q -n 1 .build/{server,gateway,system,units}.log
exit "$status"
