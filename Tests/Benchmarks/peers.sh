# The alternatives that a developer could choose, measured with the same call: gRPC C++ always,
# grpc-swift-2 with --with-grpc-swift of docker/bench.sh, since its first build takes minutes.
# Sourced, never run.
#
# Each implements the messages of Peers/echo.proto; h2load of nghttp2 is the client of both.

peer_packages=(g++ libgrpc++-dev protobuf-compiler protobuf-compiler-grpc nghttp2-client)
peers=(grpc-cpp)

build_peers() {
  local peer
  for peer in "${peers[@]}"; do
    say "building the peer $peer"
    "build_$peer"
  done
}

build_grpc-cpp() {
  local peer=$root/Tests/Benchmarks/Peers made=$build/peers/grpc-cpp flags
  mkdir -p "$made"
  protoc -I "$peer" --cpp_out="$made" --grpc_out="$made" \
    --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" "$peer/echo.proto"
  read -ra flags <<<"$(pkg-config --cflags --libs grpc++ protobuf)"
  g++ -std=c++17 -O2 -Wall -Wextra -I "$made" -o "$made/echo_server" \
    "$peer/grpc-cpp/echo_server.cpp" "$made/echo.pb.cc" "$made/echo.grpc.pb.cc" "${flags[@]}"
}

build_grpc-swift() {
  swift build --scratch-path "$build/peers/grpc-swift" --static-swift-stdlib \
    --package-path "$root/Tests/Benchmarks/Peers/grpc-swift" -c release --product EchoServer >&2
}

declare -A peer_processes peer_ports
declare -A peer_programs=(
  [grpc-cpp]=grpc-cpp/echo_server
  [grpc-swift]=grpc-swift/release/EchoServer
)

start_peers() {
  local peer
  for peer in "${peers[@]}"; do
    start_server "$build/peers/${peer_programs[$peer]}"
    peer_processes[$peer]=$server_process
    peer_ports[$peer]=$server_port
  done
}

# gRPC's five bytes before a message: uncompressed, and its length.
write_peer_request() {
  local count
  count=$(stat -c %s "$work/echo")
  {
    printf '\x00\x00\x00\x00'
    printf '%b' "\\x$(printf %02x "$count")"
    cat "$work/echo"
  } >"$work/peer-request"
}

# The current time, and the CPU time of a process so far, in clock ticks, of all its threads.
cpu_ticks() { echo "$EPOCHREALTIME $(sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }')"; }

# PROCESS SECONDS: the share of a core that the process uses during that time.
cpu_share() {
  local before after
  before=$(cpu_ticks "$1")
  sleep "$2"
  after=$(cpu_ticks "$1")
  echo "$before $after" | awk -v hertz="$(getconf CLK_TCK)" '{ print ($4 - $2) / hertz / ($3 - $1) }'
}

# PEER IN_FLIGHT, then further options.
ask_peer() {
  local peer=$1 in_flight=$2
  shift 2
  taskset -c 1 h2load -t 1 -c 8 -m "$in_flight" --warm-up-time 1 -D "$seconds" \
    -d "$work/peer-request" -H 'content-type: application/grpc' -H 'te: trailers' "$@" \
    "http://127.0.0.1:${peer_ports[$peer]}/postern.benchmark.v1.Echo/Call"
}

# The figures of a peer, from h2load's report and its log of calls. Writing the log costs the client
# time, so it is written in a second run. Both runs warm up for a second on the connections they
# use.
measure_peers() {
  local in_flight=$1 peer client share
  for peer in "${peers[@]}"; do
    ask_peer "$peer" "$in_flight" >"$work/peer-report" &
    client=$!
    sleep 1.2
    share=$(cpu_share "${peer_processes[$peer]}" "$(awk -v s="$seconds" 'BEGIN { print s - 0.4 }')")
    wait "$client"
    ask_peer "$peer" "$in_flight" --log-file "$work/peer-calls" >/dev/null
    report_peer "$peer-$in_flight" "$share"
    rm "$work/peer-calls"
  done
}

# NAME SHARE. A failed call has no message in its response, and h2load would not notice. So the size
# of all responses is checked: gRPC's five bytes and the 78 of the message (warm-up calls are
# included).
report_peer() {
  local name=$1 share=$2
  awk -v name="$name" -v seconds="$seconds" -v share="$share" '
    /^requests:/ { calls = $8 }
    /^traffic:/ { gsub(/[()]/, ""); data = $(NF - 1) }
    END {
      if (calls == 0 || data < calls * 83) {
        print "error: " name ": " calls " answers with " data " bytes" > "/dev/stderr"
        exit 1
      }
      cpu = share * seconds
      printf "figure %s %.0f calls/s\n", name, calls / seconds
      printf "figure %s-a-core %.0f calls/s/core\n", name, calls / cpu
      printf "figure %s-cpu %.3f µs\n", name, cpu * 1000000 / calls
    }' "$work/peer-report"
  sort -n -k3,3 "$work/peer-calls" | awk -v name="$name" '
    { times[NR] = $3 }
    END {
      printf "figure %s-p50 %.1f µs\n", name, times[int(NR * 0.50) + 1]
      printf "figure %s-p99 %.1f µs\n", name, times[int(NR * 0.99) + 1]
    }'
}
