# The limits benchmark of docker/bench.sh: the limiter's table alone, the service by RPC beside the
# echo on the same server, and Redis on the same machine. Sourced, never run.

source "$root/Tests/Benchmarks/redis.sh"

# The number of keys for "many keys".
limits_keys=${POSTERN_BENCH_KEYS:-10000000}
# The rate of the open loop, and the number of subjects where kinds are compared: so many that
# nearly all calls are allowed.
limits_rate=50000
limits_subjects=1000000

# The same sliding window log: at most N timestamps within W. Returns 0 if allowed, else the wait.
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
  write_limits_payloads
  compare_limits
  measure_limits_among few 10000
  measure_limits_among many "$limits_keys"
  report_limits_among
}

# A charge that does not wait for the disk, beside the echo and Redis, each call for one of many
# subjects.
compare_limits() {
  start_limits 0
  start_redis
  redis_script=$(redis-cli -p "$redis_port" script load "$redis_ring")
  local run
  for run in $(seq "$runs"); do
    measure_limits
    measure_redis
  done >"$work/limits.figures"
  report_limits
  kill "$limits_process" "$redis_process"
}

# postern.ratelimit.v1.ConsumeRequest with one charge to a limit that is not durable: limit (1) and
# subject (2), whose eight digits differ for each call.
write_limits_payloads() {
  limits_key=$work/load.1.key
  head -c 32 /dev/urandom >"$limits_key"
  chmod 600 "$limits_key"
  write_echo_payload
  printf '\x0a\x26\x0a\x1aunaddressed-by-application\x12\x0800000000' >"$work/consume"
}

# Starts the service with $1 subjects that were charged before.
start_limits() {
  rm -rf "$work/limits/server"
  mkdir -p "$work/limits/server"
  server_tries=2400 start_server "$release/Benchmarks" limits-server --key "$limits_key" \
    --folder "$work/limits/server" --keys "$1"
  limits_process=$server_process limits_port=$server_port
}

# Times of an open loop of calls, to a service with $2 subjects.
measure_limits_among() {
  local run
  start_limits "$2"
  # A snapshot of these subjects may still be written.
  sleep 5
  for run in $(seq "$runs"); do
    limits_load "limits-consume-$1-keys" postern.ratelimit.v1.Limits/Consume "$work/consume" \
      1 "$2" --rate "$limits_rate"
  done >>"$work/limits-among.figures"
  kill "$limits_process"
}

report_limits_among() {
  local few many
  few=$(median limits-consume-few-keys-p99 <"$work/limits-among.figures")
  many=$(median limits-consume-many-keys-p99 <"$work/limits-among.figures")
  figure limits-consume-p99-few-keys "$few" µs
  figure limits-consume-p99-many-keys "$many" µs
  ratio limits-consume-p99-many-to-few "$many" "$few"
}

limits_load() {
  local name=$1 method=$2 payload=$3 in_flight=$4 subjects=$5
  shift 5
  "$build/floor/load" --port "$limits_port" --pid "$limits_process" --seconds "$seconds" \
    --name "$name" --service postern.benchmark --key "$limits_key" --payload "$payload" \
    --method "$method" --in-flight "$in_flight" --connections "$redis_connections" \
    --subjects "$subjects" "$@"
}

measure_limits() {
  local in_flight
  for in_flight in 1 16; do
    limits_load "limits-echo-$in_flight" postern.benchmark.v1.Echo/OnLoop "$work/echo" \
      "$in_flight" 0
    limits_load "limits-consume-$in_flight" postern.ratelimit.v1.Limits/Consume "$work/consume" \
      "$in_flight" "$limits_subjects"
  done
}

measure_redis() {
  local pipeline
  for pipeline in 1 16; do
    redis_load redis-ring "$pipeline" evalsha "$redis_script" 1 limit:__rand_int__ 60 60000
    redis_load redis-incr "$pipeline" incr counter:__rand_int__
  done
}

limits_median() { median "$1" <"$work/limits.figures"; }

# The ratio of Consume to another figure with the given suffix.
limits_ratio() {
  ratio "limits-consume-to-$1" "$(limits_median "limits-consume-$3")" "$(limits_median "$2-$3")"
}

# By calls a second, which the client may limit, and for each second of the server's CPU time.
report_limits() {
  local name pipeline
  for pipeline in 1 16 1-a-core 16-a-core; do
    for name in limits-echo limits-consume redis-ring redis-incr; do
      figure "$name-$pipeline" "$(limits_median "$name-$pipeline")" calls/s
    done
    limits_ratio "echo-$pipeline" limits-echo "$pipeline"
    limits_ratio "redis-ring-$pipeline" redis-ring "$pipeline"
    limits_ratio "redis-incr-$pipeline" redis-incr "$pipeline"
  done
}
