# The web benchmark of docker/bench.sh: unary calls through postern-web and the gateway, beside
# servers whose handler does nothing, pages of mails, and the memory of idle connections. Sourced,
# never run.
#
# The programs and the peers run on the first core, nghttp2's h2load on the second; the kinds
# alternate within each run. The method is one that the gateway answers by itself.

web_method=postern.gateway.v1.ProviderNotices/DescribeProviderOutcome
# Its least response: the code and a sentence. A failed call has none.
web_response_bytes=40
# Calls in flight on each of 8 connections of HTTP/2.
web_in_flight=(64 16 1)
# Connections of HTTP/1.1, each with one call in flight.
web_connections=(8 64)
# A page that needs no link, its least size, and connections of HTTP/1.1 with one request in flight.
web_page=forgot-password
web_page_bytes=1024
web_page_connections=64
web_idle_connections=1000

bench_web() {
  need_packages openssl python3 "${peer_packages[@]}"
  build_floor
  build_measures programs
  build_peers
  write_echo_payload
  write_peer_request
  write_web_requests
  start_server "$release/Benchmarks" http2-floor
  local floor_process=$server_process floor_port=$server_port
  start_peers
  start_web_programs
  local run
  for run in $(seq "$runs"); do
    measure_web_calls
    measure_web_pages
    measure_web_alone
  done >"$work/web.figures"
  report_web
  measure_idle_connections
  stop_programs
}

# DescribeProviderOutcomeRequest (provider 1, outcome 2) for the wire, gRPC and JSON.
write_web_requests() {
  printf '\x0a\x06google\x10\x01' >"$work/outcome"
  { printf '\x00\x00\x00\x00\x0a' && cat "$work/outcome"; } >"$work/outcome.grpc"
  printf '{"provider":"google","outcome":"PROVIDER_OUTCOME_CANCELLED"}' >"$work/outcome.json"
}

# Starts the six programs; sets $web_process, $gateway_process, $web_url and $web_key.
start_web_programs() {
  data=$work/data.$RANDOM
  taskset -c 0 "$release/postern" up --data "$data" --port-base 0 >"$data.out" 2>&1 </dev/null &
  up_process=$!
  started+=("$up_process")
  await_line "$up_process" "$data.out" '^ready'
  web_process=$(pgrep -P "$up_process" -f /postern-web)
  gateway_process=$(pgrep -P "$up_process" -f '/postern-gateway ')
  web_url=http://127.0.0.1:$(port_of web)
  web_key=$(awk '$1 == "key:" { print $2 }' "$data/apps.yaml")
}

# PROCESS FILE PATTERN: waits until the process has written such a line.
await_line() {
  until grep -qs "$3" "$2"; do
    kill -0 "$1" 2>/dev/null || fail "a program ended: $(cat "$work"/*.out)"
    sleep 0.05
  done
}

measure_web_calls() {
  local in_flight connections
  # First, so that the last of them is beside the peers with as many in flight: the machine's speed
  # drifts.
  for connections in "${web_connections[@]}"; do
    measure_http "web-json-$connections" "$web_process $gateway_process" "$web_url" json \
      -c "$connections" -m 1
  done
  for in_flight in "${web_in_flight[@]}"; do
    measure_http "http2-floor-$in_flight" "$floor_process" "http://127.0.0.1:$floor_port" grpc \
      -c 8 -m "$in_flight"
    measure_http "web-grpc-$in_flight" "$web_process $gateway_process" "$web_url" grpc \
      -c 8 -m "$in_flight"
    measure_peers "$in_flight"
  done
}

# GETs of a page, each of which seals a cookie of its own, without the files that it names: browsers
# keep those.
measure_web_pages() {
  measure_http web-page "$web_process $gateway_process" "$web_url" page \
    -c "$web_page_connections" -m 1
}

# One call in flight in all: what the web service adds to a call of the gateway by our own wire.
measure_web_alone() {
  "$build/floor/load" --port "$(port_of gateway)" --pid "$gateway_process" --seconds "$seconds" \
    --name web-direct-alone --connections 1 --in-flight 1 --service postern.gateway \
    --key "$(echo "$data"/keys/applications/app.*.key)" --payload "$work/outcome" \
    --method "$web_method"
  local kind
  for kind in grpc json; do
    measure_http "web-$kind-alone" "$web_process $gateway_process" "$web_url" "$kind" -c 1 -m 1
  done
}

# URL KIND, then h2load's options.
load_http() {
  local url=$1 kind=$2 path=$web_method options
  local call=(-d "$work/outcome.$kind" -H "x-postern-app: $web_key")
  shift 2
  case $kind in
    grpc) options=("${call[@]}" -H 'content-type: application/grpc' -H 'te: trailers') ;;
    json) options=("${call[@]}" --h1 -H 'content-type: application/json') ;;
    page) options=(--h1) path=$web_page ;;
  esac
  taskset -c 1 h2load -t 1 --warm-up-time 1 -D "$seconds" "${options[@]}" "$@" "$url/$path"
}

# The CPU time of processes so far, in clock ticks, of all their threads.
ticks_of() {
  local process
  for process in "$@"; do sed 's/.*) //' "/proc/$process/stat"; done |
    awk '{ sum += $12 + $13 } END { print sum }'
}

# NAME PROCESSES URL KIND, then h2load's options: the figures of a kind. As for the peers, the log
# of calls is written in a second run.
measure_http() {
  local name=$1 processes client before share least=$web_response_bytes
  read -ra processes <<<"$2"
  shift 2
  [[ $2 != page ]] || least=$web_page_bytes
  load_http "$@" >"$work/web-report" &
  client=$!
  sleep 1.2
  before="$EPOCHREALTIME $(ticks_of "${processes[@]}")"
  sleep "$(awk -v s="$seconds" 'BEGIN { print s - 0.4 }')"
  share=$(echo "$before $EPOCHREALTIME $(ticks_of "${processes[@]}")" |
    awk -v hertz="$(getconf CLK_TCK)" '{ print ($4 - $2) / hertz / ($3 - $1) }')
  wait "$client"
  load_http "$@" --log-file "$work/web-calls" >/dev/null
  report_http "$name" "$share" "$least"
  rm "$work/web-calls"
}

# NAME SHARE BYTES: from h2load's report and its log of calls. gRPC's errors have status 200 too, and
# no message, so the size of all responses is checked.
report_http() {
  awk -v name="$1" -v seconds="$seconds" -v share="$2" -v least="$3" '
    /^requests:/ { calls = $8 }
    /^status codes:/ { good = $3 }
    /^traffic:/ { gsub(/[()]/, ""); data = $(NF - 1) }
    END {
      if (calls == 0 || good < calls || data < calls * least) {
        print "error: " name ": " calls " calls, " good " with 2xx, " data " bytes" > "/dev/stderr"
        exit 1
      }
      cpu = share * seconds
      printf "figure %s %.0f calls/s\n", name, calls / seconds
      printf "figure %s-a-core %.0f calls/s/core\n", name, calls / cpu
      printf "figure %s-cpu %.3f µs\n", name, cpu * 1000000 / calls
    }' "$work/web-report"
  sort -n -k3,3 "$work/web-calls" | awk -v name="$1" '
    { times[NR] = $3 }
    END {
      printf "figure %s-p50 %.1f µs\n", name, times[int(NR * 0.50) + 1]
      printf "figure %s-p99 %.1f µs\n", name, times[int(NR * 0.99) + 1]
    }'
}

report_web() {
  local in_flight connections peer kind direct alone
  # The functions of the echo report read this file.
  cp "$work/web.figures" "$work/echo.figures"
  for in_flight in "${web_in_flight[@]}"; do
    report_kind "http2-floor-$in_flight"
    report_kind "web-grpc-$in_flight"
    for peer in http2-floor "${peers[@]}"; do
      report_ratio "web-grpc-to-$peer-$in_flight" "web-grpc-$in_flight-a-core" \
        "$peer-$in_flight-a-core"
    done
  done
  for connections in "${web_connections[@]}"; do report_kind "web-json-$connections"; done
  for peer in "${peers[@]}"; do
    report_ratio "web-json-to-$peer-64" web-json-64-a-core "$peer-64-a-core"
  done
  report_kind web-page pages/s
  direct=$(echo_median web-direct-alone-p50)
  figure web-direct-alone-p50 "$direct" µs
  for kind in grpc json; do
    report_median "web-$kind-alone-p50" µs
    alone=$(echo_median "web-$kind-alone-p50")
    figure "web-$kind-added-p50" "$(awk -v a="$alone" -v b="$direct" 'BEGIN { print a - b }')" µs
  done
}

# What a thousand connections cost that have made one call each and stay open.
measure_idle_connections() {
  local version
  write_echo_certificate
  ulimit -n "$(ulimit -H -n)"
  for version in 1.1 2; do
    measure_idle "web-idle-http$version" http://127.0.0.1 "$version"
    measure_idle "web-idle-http$version-tls" https://localhost "$version" "$work/echo.pem"
  done
}

# NAME ORIGIN VERSION [CERTIFICATE]: in a new web service, since a process keeps freed memory.
measure_idle() {
  # The kernel's own range of free ports is above.
  local port=$((20000 + RANDOM % 10000)) process tls=()
  [[ -z ${4:-} ]] || tls=(--tls-certificate-file "$4" --tls-key-file "$4.key")
  rm -f "$work/idle.ports"
  taskset -c 0 "$release/postern-web" --listen-port "$port" --metrics-port 0 \
    --applications-folder "$data/keys/web" --gateway-address "127.0.0.1:$(port_of gateway)" \
    --web-origins "$2:$port" --port-file "$work/idle.ports" "${tls[@]}" \
    >"$work/idle.out" 2>&1 </dev/null &
  process=$!
  started+=("$process")
  await_line "$process" "$work/idle.ports" "^$port"
  figure "$1" "$(python3 "$root/Tests/Benchmarks/idle_connections.py" "$process" "$port" \
    "$web_idle_connections" "${@:3}")" MiB
  kill "$process"
}
