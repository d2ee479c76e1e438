# The limits benchmark of docker/bench.sh: the limiter's table by itself, the service by RPC beside
# the echo on the same server, and Redis on the same machine. Sourced, never run.

# Keys that many keys are.
limits_keys=${POSTERN_BENCH_KEYS:-10000000}
# Connections to Redis, and commands for each measure.
redis_connections=50
redis_commands=500000

# The same exact ring: N moments at most younger than W; 0 allowed, else when to come again.
redis_ring='
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now - ARGV[2])
if redis.call("ZCARD", KEYS[1]) < tonumber(ARGV[1]) then
  redis.call("ZADD", KEYS[1], now, time[1] .. "." .. time[2])
  redis.call("PEXPIRE", KEYS[1], ARGV[2])
  return 0
end
return redis.call("ZRANGE", KEYS[1], 0, 0, "WITHSCORES")[2] + ARGV[2] - now
'

bench_limits() {
  need_packages redis-server
  build_floor
  build_measures
  mkdir -p "$work/limits"
  "$release/Benchmarks" limits-core --folder "$work/limits" --seconds "$seconds" --runs "$runs" \
    --keys "$limits_keys"
  start_limits
  start_redis
  local run
  for run in $(seq "$runs"); do
    measure_limits
    measure_redis
  done >"$work/limits.figures"
  report_limits
}

# postern.ratelimit.v1.CheckRequest with one charge: limit (1) and subject (2).
write_check_payload() {
  local limit=unaddressed-by-application subject=benchmark-000
  printf '\x0a\x2b\x0a\x1a%s\x12\x0d%s' "$limit" "$subject" >"$work/check"
}

start_limits() {
  limits_key=$work/load.1.key
  head -c 32 /dev/urandom >"$limits_key"
  chmod 600 "$limits_key"
  write_echo_payload
  write_check_payload
  mkdir -p "$work/limits/server"
  start_server "$release/Benchmarks" limits-server --key "$limits_key" \
    --folder "$work/limits/server"
  limits_process=$server_process limits_port=$server_port
}

start_redis() {
  mkdir -p "$work/redis"
  redis_socket=$work/redis/socket
  taskset -c 0 redis-server --bind 127.0.0.1 --port 0 --unixsocket "$redis_socket" \
    --save '' --appendonly no --dir "$work/redis" >"$work/redis/log" &
  started+=("$!")
  local try
  for try in $(seq 100); do
    redis-cli -s "$redis_socket" ping 2>/dev/null | grep -q PONG && break
    sleep 0.05
  done
  redis_script=$(redis-cli -s "$redis_socket" script load "$redis_ring")
}

limits_load() {
  local name=$1 method=$2 payload=$3
  "$build/floor/load" --port "$limits_port" --pid "$limits_process" --seconds "$seconds" \
    --name "$name" --service postern.benchmark --key "$limits_key" --payload "$payload" \
    --method "$method" --in-flight "$4" --connections "$redis_connections"
}

measure_limits() {
  local in_flight
  for in_flight in 1 16; do
    limits_load "limits-echo-$in_flight" postern.benchmark.v1.Echo/OnLoop "$work/echo" "$in_flight"
    limits_load "limits-check-$in_flight" postern.ratelimit.v1.Limits/Check "$work/check" \
      "$in_flight"
  done
}

# Commands a second that redis-benchmark tells of the command in its further arguments.
redis_load() {
  local name=$1 pipeline=$2 value
  shift 2
  value=$(taskset -c 1 redis-benchmark -s "$redis_socket" -c "$redis_connections" -P "$pipeline" \
    -n "$redis_commands" --csv "$@" | tail -n 1 | cut -d, -f2 | tr -d '"')
  figure "$name-$pipeline" "$value" commands/s
}

measure_redis() {
  local pipeline
  for pipeline in 1 16; do
    redis_load redis-ring "$pipeline" evalsha "$redis_script" 1 limit 60 60000
    redis_load redis-incr "$pipeline" incr limits-counter
  done
}

limits_median() { median "$1" <"$work/limits.figures"; }

report_limits() {
  local name pipeline check
  for pipeline in 1 16; do
    check=$(limits_median "limits-check-$pipeline")
    for name in limits-echo limits-check redis-ring redis-incr; do
      figure "$name-$pipeline" "$(limits_median "$name-$pipeline")" calls/s
    done
    ratio "limits-check-to-echo-$pipeline" "$(limits_median "limits-check-$pipeline-a-core")" \
      "$(limits_median "limits-echo-$pipeline-a-core")"
    ratio "limits-check-to-redis-ring-$pipeline" "$check" "$(limits_median "redis-ring-$pipeline")"
    ratio "limits-check-to-redis-incr-$pipeline" "$check" "$(limits_median "redis-incr-$pipeline")"
  done
}
