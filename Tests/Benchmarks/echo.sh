# The echo benchmark of docker/bench.sh: this runtime, a bare lower bound, and the peers. One server
# runs on the first core and one client on the second. Sourced, never run.
#
# The kinds alternate within each run, so that a drift of the machine's speed affects all of them.

source "$root/Tests/Benchmarks/peers.sh"
source "$root/Tests/Benchmarks/redis.sh"

# Calls in flight on each of 8 connections.
echo_in_flight=(64 16 1)
# Streams open at once on each of 8 connections.
items_in_flight=8
# Calls a second in the open loop.
open_loop_rate=50000

build_floor() {
  local floor=$root/Tests/Benchmarks/Floor
  mkdir -p "$build/floor"
  local server
  for server in echo_floor task_floor; do
    cc -std=c17 -O2 -Wall -Wextra -o "$build/floor/$server" "$floor/$server.c" "$floor/floor.c"
  done
  cc -std=c17 -O2 -Wall -Wextra -shared -fPIC \
    -o "$build/floor/count_allocations.so" "$floor/count_allocations.c"
  cc -std=c17 -D_DEFAULT_SOURCE -O2 -Wall -Wextra \
    -o "$build/floor/load" "$root"/Tests/Benchmarks/Load/*.c -lssl -lcrypto
}

# A GatewayV1.RefreshSessionRequest that makes a frame of 217 bytes: token, device, platform, name.
write_echo_payload() {
  local token device=device-0123456789abcdef name="Ada's telephone"
  token=$(head -c 110 /dev/zero | tr '\0' t)
  {
    printf '\x0a\x6e%s' "$token"
    printf '\x12\x33\x0a\x17%s\x12\x07android\x1a\x0f%s' "$device" "$name"
  } >"$work/echo"
}

# A self-signed certificate, with a key that only its owner may read.
write_echo_certificate() {
  (
    umask 077
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 \
      -subj /CN=localhost -addext subjectAltName=DNS:localhost \
      -keyout "$work/echo.pem.key" -out "$work/echo.pem" 2>"$work/openssl.log"
  )
}

# Our echo server; further arguments precede its command.
start_echo_server() {
  start_server "$@" "$release/Benchmarks" echo-server --key "$key"
}

# The same, with TLS.
start_echo_tls_server() {
  start_server "$release/Benchmarks" echo-server --key "$key" \
    --certificate "$work/echo.pem" --certificate-key "$work/echo.pem.key"
}

# The load against our echo server: NAME METHOD, then further options.
echo_load() {
  local name=$1 method=$2
  shift 2
  "$load" --port "$server_port" --pid "$server_process" --seconds "$seconds" --name "$name" \
    --service postern.benchmark --key "$key" --payload "$work/echo" \
    --method "postern.benchmark.v1.Echo/$method" "$@"
}

# The load against a server that sends back what it reads: PORT PROCESS NAME, then further options.
raw_load() {
  local port=$1 process=$2 name=$3
  shift 3
  "$load" --raw --port "$port" --pid "$process" --seconds "$seconds" --name "$name" "$@"
}

bench_echo() {
  need_packages openssl redis-server "${peer_packages[@]}"
  build_floor
  build_measures
  build_peers
  local load=$build/floor/load key=$work/load.1.key
  head -c 32 /dev/urandom >"$key"
  chmod 600 "$key"
  write_echo_payload
  write_peer_request

  start_server "$build/floor/echo_floor" 0
  local floor_process=$server_process floor_port=$server_port
  start_server "$build/floor/task_floor" 0
  local task_floor_process=$server_process task_floor_port=$server_port
  start_server "$release/Benchmarks" nio-floor
  local nio_floor_process=$server_process nio_floor_port=$server_port
  start_peers
  start_redis
  redis-cli -p "$redis_port" set held "$(head -c 78 /dev/zero | tr '\0' r)" >/dev/null
  write_echo_certificate
  start_echo_tls_server
  local tls_process=$server_process tls_port=$server_port
  start_echo_server
  local run
  for run in $(seq "$runs"); do
    measure_calls
    measure_items
    measure_tls
    measure_open_loop
  done >"$work/echo.figures"
  count_allocations >>"$work/echo.figures"
  report_echo
}

measure_calls() {
  local in_flight
  for in_flight in "${echo_in_flight[@]}"; do
    raw_load "$floor_port" "$floor_process" "floor-$in_flight" --in-flight "$in_flight"
    raw_load "$nio_floor_port" "$nio_floor_process" "nio-floor-$in_flight" --in-flight "$in_flight"
    "$load" --port "$task_floor_port" --pid "$task_floor_process" --seconds "$seconds" \
      --name "task-floor-$in_flight" --method postern.benchmark.v1.Echo/Async \
      --payload "$work/echo" --in-flight "$in_flight"
    echo_load "echo-onloop-$in_flight" OnLoop --in-flight "$in_flight"
    echo_load "echo-async-$in_flight" Async --in-flight "$in_flight"
    measure_peers "$in_flight"
    redis_connections=8 redis_load redis-get "$in_flight" get held
  done
}

measure_items() {
  echo_load echo-items Items --items --in-flight "$items_in_flight"
}

measure_tls() {
  local server_process=$tls_process server_port=$tls_port
  echo_load echo-onloop-tls-64 OnLoop --tls --in-flight 64
  echo_load echo-async-tls-64 Async --tls --in-flight 64
}

measure_open_loop() {
  raw_load "$floor_port" "$floor_process" floor-open --rate "$open_loop_rate"
  echo_load echo-onloop-open OnLoop --rate "$open_loop_rate"
  echo_load echo-async-open Async --rate "$open_loop_rate"
}

# Uses another server, because counting costs time; that server's speed is not reported.
count_allocations() {
  local counter=$build/floor/count_allocations.so count=$work/allocations
  start_echo_server env LD_PRELOAD="$counter" ALLOCATIONS_FILE="$count"
  local in_flight
  for in_flight in 64 1; do
    echo_load "counted-onloop-$in_flight" OnLoop --in-flight "$in_flight" --allocations "$count"
    echo_load "counted-async-$in_flight" Async --in-flight "$in_flight" --allocations "$count"
  done
}

# The median of a figure of this run; empty if it was not measured.
echo_median() { median "$1" <"$work/echo.figures"; }

report_median() {
  local value
  value=$(echo_median "$1")
  [[ -z $value ]] || figure "${3:-$1}" "$value" "$2"
}

# The ratio of two figures.
report_ratio() {
  local name=$1 one other
  one=$(echo_median "$2")
  other=$(echo_median "$3")
  [[ -z $one || -z $other ]] || ratio "$name" "$one" "$other"
}

# All figures of a kind; UNIT is the unit of its rate.
report_kind() {
  local name=$1 unit=${2:-calls/s}
  report_median "$name" "$unit"
  report_median "$name-a-core" "$unit/core"
  report_median "$name-cpu" µs
  report_median "$name-p50" µs
  report_median "$name-p99" µs
}

report_echo() {
  local kind in_flight name
  for in_flight in "${echo_in_flight[@]}"; do
    for kind in floor nio-floor task-floor echo-onloop echo-async "${peers[@]}" redis-get; do
      report_kind "$kind-$in_flight"
    done
    report_ratio "echo-onloop-to-redis-get-$in_flight" "echo-onloop-$in_flight-a-core" \
      "redis-get-$in_flight-a-core"
    for kind in onloop async; do
      for name in "${peers[@]}"; do
        # For each server core: a server that waits for its client is not penalised.
        report_ratio "echo-$kind-to-$name-$in_flight" "echo-$kind-$in_flight-a-core" \
          "$name-$in_flight-a-core"
      done
    done
  done
  report_kind echo-items items/s
  report_kind echo-onloop-tls-64
  report_kind echo-async-tls-64
  report_ratio echo-onloop-to-floor-64 echo-onloop-64-a-core floor-64-a-core
  report_ratio echo-onloop-cpu-to-floor-1 echo-onloop-1-cpu floor-1-cpu
  report_ratio nio-floor-cpu-to-floor-1 nio-floor-1-cpu floor-1-cpu
  report_ratio echo-async-cpu-to-task-floor-64 echo-async-64-cpu task-floor-64-cpu
  for kind in floor echo-onloop echo-async; do
    report_median "$kind-open" calls/s
    report_median "$kind-open-p50" µs
    report_median "$kind-open-p99" µs
  done
  report_ratio echo-onloop-open-p99-to-floor echo-onloop-open-p99 floor-open-p99
  report_ratio echo-async-open-p99-to-floor echo-async-open-p99 floor-open-p99
  for name in onloop-64 async-64 onloop-1 async-1; do
    report_median "counted-$name-allocations" allocations "allocations-a-call-$name"
  done
}
