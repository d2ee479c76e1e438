#!/usr/bin/env bash
# Measures, and prints a line `figure NAME VALUE UNIT` for each figure and each ratio.
#
#   docker/bench.sh [--with-grpc-swift] [--against REVISION] [NAME…]
#
# NAME: all, or some of echo web commit refresh sessions validate provider limits outbox accounts
# sign-in provider-sign-ins sign-in-rush enumeration footprint; and only if named: crowds, the system
# tests of crowds in their long form, backup and orphans, which import a million accounts first,
# documents, export, deletion, audit, costs and server.
# --with-grpc-swift adds that peer to echo and web; building it takes some minutes once.
# --against builds that revision into .build/before, measures both alternately five times, and
# prints a line `compare NAME BEFORE NOW UNIT RATIO SPREAD VERDICT` for each figure; it fails if a
# figure is worse by more than 5 % and by more than the spread.
# Tests/Benchmarks/README.md explains each figure and its required value.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

# Seconds of each run, and number of runs; the median counts.
seconds=${POSTERN_BENCH_SECONDS:-3}
runs=${POSTERN_BENCH_RUNS:-3}

# Measures write for new accounts at one address.
export POSTERN_NEWCOMER_BYTES_A_DAY=1099511627776 POSTERN_GUEST_BYTES_A_DAY=1099511627776
export POSTERN_GUEST_PHOTO_BYTES_MAX=5242880

# The folder in which the measured programs are built.
build=${POSTERN_BENCH_BUILD:-$root/.build}

work=$(mktemp -d "${TMPDIR:-/tmp}/postern-bench.XXXXXX")
started=()

clean_up() {
  local process
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  rm -rf "$work"
}
trap clean_up EXIT

figure() { printf 'figure %s %s %s\n' "$1" "$2" "$3"; }

ratio() {
  awk -v name="$1" -v a="$2" -v b="$3" 'BEGIN { printf "figure %s %.2f ×\n", name, a / b }'
}

# The median of one figure's values among the lines of standard input.
median() {
  awk -v name="$1" '$2 == name { print $3 }' | sort -g |
    awk '{ values[NR] = $1 } END { print values[int((NR + 1) / 2)] }'
}

# Builds the measures, and with the argument `programs` all programs too, with the options of the
# programs' image: other options beside them would cause a complete rebuild each time.
build_measures() {
  local options=(
    --package-path "$root" --scratch-path "$build" -c release --static-swift-stdlib
  )
  swift build "${options[@]}" --product Benchmarks >&2 || fail "building the measures failed"
  if [[ ${1:-} == programs ]]; then
    swift build "${options[@]}" --target Programs >&2 || fail "building the programs failed"
  fi
  release=$(swift build "${options[@]}" --show-bin-path)
}

# Starts a server on the first core and waits for the port that it prints; sets $server_process and
# $server_port.
start_server() {
  local output=$work/port.$RANDOM
  : >"$output"
  taskset -c 0 "$@" >"$output" &
  server_process=$!
  started+=("$server_process")
  for _ in $(seq "${server_tries:-100}"); do
    server_port=$(head -n1 "$output")
    [[ -n $server_port ]] && return 0
    kill -0 "$server_process" 2>/dev/null || break
    sleep 0.05
  done
  fail "a server did not start: $*"
}

source "$root/Tests/Benchmarks/echo.sh"
source "$root/Tests/Benchmarks/web.sh"
source "$root/Tests/Benchmarks/limits.sh"
source "$root/Tests/Benchmarks/server.sh"
source "$root/Tests/Benchmarks/against.sh"

# Durable writes and refreshes: many per commit, one per commit, without a disk.
bench_commit() {
  build_measures
  mkdir -p "$work/stores"
  "$release/Benchmarks" group-commit --folder "$work/stores" --seconds "$seconds" --runs "$runs"
}

bench_refresh() {
  build_measures
  mkdir -p "$work/stores"
  "$release/Benchmarks" refreshes --folder "$work/stores" --seconds "$seconds" --runs "$runs"
}

# Session creation, and a million sessions: bytes of each, and the cost of a refresh among them.
bench_sessions() {
  build_measures
  mkdir -p "$work/stores"
  "$release/Benchmarks" sessions --folder "$work/stores" --seconds "$seconds" --runs "$runs"
}

# The audit trail: what its index and links cost refreshes and openings, a page of an account's records
# among ten million, and records proven a second; POSTERN_BENCH_RECORDS=1000000 is quicker.
bench_audit() {
  build_measures
  mkdir -p "$work/stores"
  "$release/Benchmarks" audit --folder "$work/stores" --seconds "$seconds" --runs "$runs" \
    --records "${POSTERN_BENCH_RECORDS:-10000000}"
}

# A first validation compared with the bare verification of a signature, and a repeated one compared
# with an echo of frames of the same size, alternately on the same server.
bench_validate() {
  build_floor
  build_measures
  mkdir -p "$work/stores"
  "$release/Benchmarks" validate --folder "$work/stores" --runs "$runs"
  local key=$work/load.1.key run name
  head -c 32 /dev/urandom >"$key"
  chmod 600 "$key"
  start_server "$release/Benchmarks" validate-server --key "$key" \
    --folder "$work/stores/server" --payload "$work/validate"
  for run in $(seq "$runs"); do
    for name in benchmark.v1.Echo/Validation session.v1.Sessions/ValidateAccessToken; do
      "$build/floor/load" --port "$server_port" --pid "$server_process" --seconds "$seconds" \
        --name "${name##*/}" --service postern.benchmark --key "$key" \
        --payload "$work/validate" --method "postern.$name" --in-flight 64
    done
  done >"$work/validate.figures"
  local echo repeated
  echo=$(median Validation <"$work/validate.figures")
  repeated=$(median ValidateAccessToken <"$work/validate.figures")
  figure validate-repeated "$repeated" calls/s
  figure validate-echo "$echo" calls/s
  ratio validate-repeated/echo "$repeated" "$echo"
}

# Verification of a provider's tokens, with cached keys, compared with the bare verification of
# their signatures.
bench_provider() {
  build_measures
  taskset -c 0 "$release/Benchmarks" provider-tokens --runs "$runs"
}

# Messages accepted and delivered, and a million queued ones.
bench_outbox() {
  build_measures
  mkdir -p "$work/outbox"
  "$release/Benchmarks" outbox --folder "$work/outbox" --seconds "$seconds" --runs "$runs"
}

# Accounts imported, and look-ups among few and among many; POSTERN_BENCH_ACCOUNTS=5000000 takes
# long.
bench_accounts() {
  build_measures
  mkdir -p "$work/accounts"
  "$release/Benchmarks" account-look-ups --folder "$work/accounts" --runs "$runs" \
    --many "${POSTERN_BENCH_ACCOUNTS:-50000}"
}

# Options of `postern up`.
up_options=(--no-web)

# Starts the programs on a new folder, or on $1; sets $up_process, $data and $ready_ms.
start_programs() {
  build_measures programs
  data=${1:-$work/data.$RANDOM}
  : >"$data.out"
  local began ended
  began=$(date +%s%N)
  "$release/postern" up --data "$data" --port-base 0 "${up_options[@]}" >"$data.out" 2>&1 \
    </dev/null &
  up_process=$!
  started+=("$up_process")
  until grep -q '^ready' "$data.out"; do
    kill -0 "$up_process" 2>/dev/null || fail "postern up ended: $(cat "$data.out")"
    sleep 0.01
  done
  ended=$(date +%s%N)
  ready_ms=$(((ended - began) / 1000000))
}

stop_programs() {
  kill -INT "$up_process"
  wait "$up_process" || true
}

port_of() { head -n1 "$data/run/postern-$1.ports"; }

# Sign-ins through the five programs compared with the hash pool alone, alternately; and the pool
# with hashes of Keycloak's cost, below which ours may not fall. Sign-ins of people with an
# authenticator app follow those without, in each run.
bench_sign-in() {
  local run hashes sign_ins with_app
  # New programs for each run: the same addresses sign up.
  for run in $(seq "$runs"); do
    start_programs
    "$release/Benchmarks" password-hashes >>"$work/sign-in.figures"
    "$release/Benchmarks" sign-ins --gateway "127.0.0.1:$(port_of gateway)" \
      --key "$(echo "$data"/keys/applications/app.*.key)" >>"$work/sign-in.figures"
    stop_programs
  done
  hashes=$(median password-hashes <"$work/sign-in.figures")
  sign_ins=$(median sign-ins <"$work/sign-in.figures")
  figure password-hashes "$hashes" hashes/s
  figure sign-ins "$sign_ins" sign-ins/s
  ratio sign-ins-to-hashes "$sign_ins" "$hashes"
  with_app=$(median sign-ins-with-app <"$work/sign-in.figures")
  figure sign-ins-with-app "$with_app" sign-ins/s
  ratio sign-ins-with-app-to-without "$with_app" "$sign_ins"
  figure password-hashes-as-keycloak \
    "$("$release/Benchmarks" password-hashes --memory 7168 --passes 5 | awk '{ print $3 }')" hashes/s
}

# Refreshes while five hundred users sign in at once, each side in a process of its own.
bench_sign-in-rush() {
  start_programs
  "$release/Benchmarks" sign-in-rush --gateway "127.0.0.1:$(port_of gateway)" \
    --key "$(echo "$data"/keys/applications/app.*.key)"
  stop_programs
}

# Imports $1 accounts into the running services.
import_accounts() {
  seq "$1" | awk '{
    printf "{\"external_id\":\"%d\",\"email\":\"known.%d@example.org\",\"email_verified\":true,", $1, $1
    printf "\"display_name\":\"Person %d\",\"created_at_ms\":1700000000000}\n", $1
  }' >"$work/accounts.jsonl"
  "$release/postern" import jsonl "$work/accounts.jsonl" --endpoints "$data/endpoints.json" >&2
}

# A backup of a million accounts beside sign-ins and refreshes; POSTERN_BENCH_BACKUP_ACCOUNTS=50000
# is quick.
bench_backup() {
  start_programs
  mkdir -p "$work/backup"
  import_accounts "${POSTERN_BENCH_BACKUP_ACCOUNTS:-1000000}"
  "$release/Benchmarks" backup --gateway "127.0.0.1:$(port_of gateway)" \
    --key "$(echo "$data"/keys/applications/app.*.key)" --postern "$release/postern" \
    --endpoints "$data/endpoints.json" --folder "$work/backup"
  stop_programs
}

# Gives each account of stopped services a live session, and the time of an ended one.
plant_sessions() {
  python3 - "$data/data/identity.sqlite" "$data/data/session.sqlite" <<'PLANT' ||
import sqlite3, sys, time
store = sqlite3.connect(sys.argv[2])
store.execute("ATTACH ? AS identity", [sys.argv[1]])
now = [int(time.time() * 1000)]
store.execute(
    """INSERT INTO session (id, account, counter, created_at_ms, used_at_ms, auth_time_ms,
           proved_at_ms, methods, platform)
       SELECT abs(random()), account, 1, ?1, ?1, ?1, ?1, 'pwd', 'cli' FROM identity.accounts""",
    now)
store.execute(
    "INSERT INTO account_seen (account, seen_at_ms) SELECT account, ?1 FROM identity.accounts", now)
store.commit()
store.close()
PLANT
    fail "the sessions could not be written"
}

# The check of orphans among a million accounts, each with a session, which runs at a start, and
# refreshes beside it.
bench_orphans() {
  need_packages python3
  start_programs
  import_accounts "${POSTERN_BENCH_ORPHAN_ACCOUNTS:-1000000}"
  stop_programs
  plant_sessions
  start_programs "$data"
  local started=$(($(date +%s%3N) - ready_ms))
  "$release/Benchmarks" orphans --gateway "127.0.0.1:$(port_of gateway)" \
    --key "$(echo "$data"/keys/applications/app.*.key)" --identity "127.0.0.1:$(port_of identity)" \
    --tool-key "$(echo "$data"/keys/applications/tool.*.key)" --started-ms "$started"
  stop_programs
}

# Documents: durable writes compared with those of a store alone, reads with the async echo, uploads
# of photos with a file's write and sync, and sign-ins beside many writes.
bench_documents() {
  build_floor
  start_programs
  local folder=$work/documents run process
  mkdir -p "$folder"
  local programs=(
    --gateway "127.0.0.1:$(port_of gateway)" --key "$(echo "$data"/keys/applications/app.*.key)"
    --identity "127.0.0.1:$(port_of identity)" --identity-key "$(echo "$data"/keys/gateway/gateway.*.key)"
  )
  local load=$build/floor/load key=$work/load.1.key
  head -c 32 /dev/urandom >"$key"
  chmod 600 "$key"
  write_echo_payload
  start_echo_server
  process=$(pgrep -P "$up_process" -f "/postern-identity ")
  for run in $(seq "$runs"); do
    mkdir -p "$folder/stores.$run"
    "$release/Benchmarks" group-commit --folder "$folder/stores.$run" --seconds "$seconds" --runs 1
    "$release/Benchmarks" document-writes "${programs[@]}" --seconds "$seconds"
    "$release/Benchmarks" document-reads "${programs[@]}" --payload "$folder/read" \
      --token "$folder/token" --seconds "$seconds"
    echo_load echo-async-1 Async --in-flight 1
    "$load" --port "$(port_of identity)" --pid "$process" --seconds "$seconds" --name document-reads-1 \
      --service postern.identity --key "$(echo "$data"/keys/gateway/gateway.*.key)" --in-flight 1 \
      --payload "$folder/read" --token "$folder/token" \
      --method postern.gateway.v1.Documents/ReadDocument
  done >"$folder/figures"
  local name
  for name in writes-in-groups document-writes document-writes-gateway; do
    figure "$name" "$(median "$name" <"$folder/figures")" writes/s
  done
  ratio document-writes-to-store "$(median document-writes <"$folder/figures")" \
    "$(median writes-in-groups <"$folder/figures")"
  for name in echo-async-1 document-reads-1 document-reads-gateway check-auth-state-gateway; do
    figure "$name" "$(median "$name" <"$folder/figures")" calls/s
  done
  figure document-reads-1-p50 "$(median document-reads-1-p50 <"$folder/figures")" µs
  ratio document-reads-to-echo "$(median document-reads-1 <"$folder/figures")" \
    "$(median echo-async-1 <"$folder/figures")"
  "$release/Benchmarks" photo-uploads "${programs[@]}" --folder "$folder"
  "$release/Benchmarks" document-rush "${programs[@]}" --folder "$folder"
  stop_programs
}

# Deletions: one of an account with a hundred documents, and sign-ins beside many;
# POSTERN_BENCH_DELETIONS=100000 takes some minutes.
bench_deletion() {
  start_programs
  "$release/Benchmarks" deletion --gateway "127.0.0.1:$(port_of gateway)" \
    --key "$(echo "$data"/keys/applications/app.*.key)" \
    --identity "127.0.0.1:$(port_of identity)" \
    --tool-key "$(echo "$data"/keys/applications/tool.*.key)" \
    --accounts "${POSTERN_BENCH_DELETIONS:-20000}"
  stop_programs
}

# The table of what a call of each public method costs; POSTERN_BENCH_CALLS=5 is quicker,
# POSTERN_BENCH_METHODS=Documents measures only requests whose names contain that.
bench_costs() {
  build_measures programs
  mkdir -p "$work/costs"
  "$release/Benchmarks" costs --postern "$release/postern" --folder "$work/costs" \
    --calls "${POSTERN_BENCH_CALLS:-10}" --only "${POSTERN_BENCH_METHODS:-}"
}

# An export of 10,000 documents of one account.
bench_export() {
  export POSTERN_DOCUMENT_COUNT_MAX=10000 POSTERN_DOCUMENT_BYTES_MAX=67108864
  start_programs
  unset POSTERN_DOCUMENT_COUNT_MAX POSTERN_DOCUMENT_BYTES_MAX
  "$release/Benchmarks" export --gateway "127.0.0.1:$(port_of gateway)" \
    --key "$(echo "$data"/keys/applications/app.*.key)" --identity "127.0.0.1:$(port_of identity)" \
    --identity-key "$(echo "$data"/keys/gateway/gateway.*.key)" --runs "$runs"
  stop_programs
}

# Sign-ins with a provider's tokens through the five programs, by their CPU time.
bench_provider-sign-ins() {
  build_measures programs
  mkdir -p "$work/providers"
  "$release/Benchmarks" provider-sign-ins --postern "$release/postern" \
    --folder "$work/providers" --runs "$runs"
}

# Figures of the system tests in their long form, with programs built for release.
# $1: rounds; $2: suites, as a regular expression.
report_system_tests() {
  build_measures programs
  swift build --package-path "$root" --build-tests >&2
  local log=$work/system-tests outcome=0
  POSTERN_PROGRAMS=$release POSTERN_SOAK_ROUNDS=$1 SWIFT_BACKTRACE=enable=no \
    swift test --package-path "$root" --skip-build --no-parallel \
    --filter "^SystemTests\.SystemTests/$2" >"$log" 2>&1 || outcome=$?
  grep '^figure ' "$log" || true
  ((outcome == 0)) || fail "a bound does not hold: $(cat "$log")"
}

# What an anonymous caller can learn about an address from the five programs, with this many samples
# of each kind.
bench_enumeration() { report_system_tests "${POSTERN_BENCH_SAMPLES:-400}" Enumeration; }

# Time until all six programs are ready, and their memory after 10,000 calls to each of them.
bench_footprint() {
  need_packages nghttp2-client
  build_floor
  write_web_requests
  local up_options=()
  start_programs
  figure ready "$ready_ms" ms
  : >"$work/empty"
  local service process key total=0
  for service in gateway identity session rate-limit notification; do
    process=$(pgrep -P "$up_process" -f "/postern-$service ")
    key=$(echo "$data"/keys/applications/tool.*.key)
    "$build/floor/load" --port "$(port_of "$service")" --pid "$process" --seconds 1 \
      --connections 4 --in-flight 16 --name "health-$service" --service "postern.$service" \
      --key "$key" --payload "$work/empty" --method postern.reflection.v1.Reflection/ListServices >/dev/null
    report_memory "$service" "$process"
  done
  # Last, since its calls go on to the gateway.
  web_key=$(awk '$1 == "key:" { print $2 }' "$data/apps.yaml")
  load_http "http://127.0.0.1:$(port_of web)" json -c 64 -m 1 >"$work/web-report"
  awk '/^requests:/ { calls = $8 } /^status codes:/ { good = $3 }
    END { exit (calls == 0 || good < calls) }' "$work/web-report" ||
    fail "calls of the web service failed: $(cat "$work/web-report")"
  report_memory web "$(pgrep -P "$up_process" -f /postern-web)"
  figure memory-of-all "$((total / 1024))" MiB
  stop_programs
}

# SERVICE PROCESS: the memory that a program has for itself, and its part of what several have; adds
# it to $total.
report_memory() {
  local memory
  memory=$(awk '/^Pss:/ { print $2 }' "/proc/$2/smaps_rollup")
  figure "memory-$1" "$memory" KiB
  total=$((total + memory))
}

# The cost of thousands of callers and streams, and their effect on other callers; the crowd is a
# process of its own.
bench_crowds() {
  need_packages python3
  report_system_tests 1 '(Crowds|Followers|SignInRush|RollingStop)'
}

names=() against=
while (($#)); do
  case $1 in
    --with-grpc-swift) peers+=(grpc-swift) ;;
    --against)
      against=${2:-}
      [[ -n $against ]] || fail "--against needs a revision, for example: --against HEAD~1"
      shift
      ;;
    -h | --help)
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
      exit
      ;;
    -*) fail "there is no option $1; see docker/bench.sh --help" ;;
    *) names+=("$1") ;;
  esac
  shift
done
((${#names[@]})) || names=(
  echo web commit refresh sessions validate provider limits outbox accounts sign-in
  provider-sign-ins sign-in-rush enumeration footprint)
for name in "${names[@]}"; do
  declare -F "bench_$name" >/dev/null || fail "no benchmark is called $name"
done
set_up gcc libc6-dev util-linux procps
if [[ -n $against ]]; then
  measure_against "$against" "${names[@]}"
  exit
fi
for name in "${names[@]}"; do
  say "measuring $name"
  "bench_$name"
done
