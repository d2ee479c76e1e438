#!/usr/bin/env bash
# All checks and tests, from a clean clone on a fresh Debian 12 with Swift; the last lines are those
# of the test runner.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

# Says what is done next, after how many minutes.
step() { say "[$((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))] $*"; }

# openssl: tests read our keys with it, and compose.yaml's keys are created by it. curl: tests call
# the web service with it. jq: an example of a client. jose: a verifier of access tokens.
# postgresql-15: every SQL text is prepared on it, and stores of tests are on it.
set_up python3 python3-venv openssl curl jq jose postgresql-15
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

# The tests' stores are in memory if there is room: they would wait for the disk most of the time.
if [[ -z ${TMPDIR:-} && $(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) -ge 4194304 ]]; then
  TMPDIR=$(mktemp -d /dev/shm/postern-test.XXXXXX)
  # PostgreSQL's own user passes through it: a server of the tests has its folder below it.
  chmod 711 "$TMPDIR"
  export TMPDIR
  trap 'rm -rf "$TMPDIR"' EXIT
fi

# SystemTests includes the Python client.
step "running the tests"
# Sequentially: they measure times, and two cores carry one cluster of programs at a time.
status=0

# Runs tests, and prints the minutes of each suite: run_tests NAME [OPTION…].
run_tests() {
  local results=.build/$1-swift-testing.xml log=.build/$1.log
  # A run that was ended has no such file.
  rm -f "$results"
  SWIFT_BACKTRACE=enable=no timeout --signal=INT 55m \
    swift test "${test_build[@]}" --no-parallel --xunit-output ".build/$1.xml" "${@:2}" 2>&1 |
    tee "$log" || status=$?
  if [[ -f $results ]]; then
    step "minutes of each suite"
    Tests/minutes.sh "$results" >&2
  fi
}

run_tests tests

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
  '^GatewayServiceTests\.(AccountDeletion|AccountSessions|AutomaticLinking|Collision)Tests/'
  '^GatewayServiceTests\.(GuestUpgrade|Idempotency|LostGuess|PhoneSignIn|Refresh)Tests/'
  '^GatewayServiceTests\.(RepeatedStates|ResetPassword|SignIn|SignUp)Tests/'
  # Mail, password, provider, phone code, refresh, reset, documents, photo, guest, deletion, export.
  '^SystemTests\.SystemTests/(Flows|Sessions|Passwords|Phones)/'
  '^SystemTests\.SystemTests/Stories/(Login|Profile|AnonymousFirst|AccountDeletionFlow)/'
)
step "running tests whose stores are on PostgreSQL"
POSTERN_TEST_STORE=server run_tests server "${on_server[@]/#/--filter=}"
if [[ -f .build/tests-swift-testing.xml && -f .build/server-swift-testing.xml ]]; then
  step "comparing which tests ran on which engine"
  Tests/Support/PostgreSQL/compare_runs.py .build/tests-swift-testing.xml \
    .build/server-swift-testing.xml "${on_server[@]}" >&2 || status=$?
fi
if ((status)); then
  # Repeats the failed tests, which are hard to find among thousands of lines.
  say "these failed:"
  grep -ahE '^✘ Test .*(recorded an issue|failed after)' .build/{tests,server}.log | sort -u |
    cut -c1-2000 || true
fi
tail -q -n 1 .build/{server,tests}.log
exit "$status"
