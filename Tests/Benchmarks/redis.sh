# Redis as a peer of docker/bench.sh: Debian's, over TCP, on the first core, without persistence,
# called by its own redis-benchmark on the second. Sourced, never run.

# Connections, commands for each measure, and keys among which random ones are.
redis_connections=50
redis_commands=500000
redis_keys=1000000

# A TCP port that is free now: redis-server cannot use a port that the system chooses.
free_port() {
  perl -MIO::Socket::INET \
    -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport'
}

start_redis() {
  mkdir -p "$work/redis"
  redis_port=$(free_port)
  taskset -c 0 redis-server --bind 127.0.0.1 --port "$redis_port" \
    --save '' --appendonly no --dir "$work/redis" >"$work/redis/log" &
  redis_process=$!
  started+=("$redis_process")
  local try
  for try in $(seq 100); do
    redis-cli -p "$redis_port" ping 2>/dev/null | grep -q PONG && break
    sleep 0.05
  done
  redis-cli -p "$redis_port" ping >/dev/null ||
    fail "redis-server did not start: $(tail -n 3 "$work/redis/log")"
}

# CPU time of Redis so far, in hundredths of a second (proc(5); its name has no blank).
redis_cpu() { awk '{ print $14 + $15 }' "/proc/$redis_process/stat"; }

# Commands a second as redis-benchmark reports them for the command in the further arguments, and
# commands for each second of Redis's CPU time.
redis_load() {
  local name=$1 pipeline=$2 value cpu
  shift 2
  cpu=$(redis_cpu)
  value=$(taskset -c 1 redis-benchmark -p "$redis_port" -c "$redis_connections" -P "$pipeline" \
    -r "$redis_keys" -n "$redis_commands" --csv "$@" | tail -n 1 | cut -d, -f2 | tr -d '"')
  cpu=$(($(redis_cpu) - cpu))
  figure "$name-$pipeline" "$value" commands/s
  figure "$name-$pipeline-a-core" "$((redis_commands * 100 / cpu))" commands/s/core
}
