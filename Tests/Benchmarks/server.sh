# The benchmark of a store on a PostgreSQL server of docker/bench.sh: refreshes through the session
# service and of its store alone, beside libpq alone on the same sessions. Sourced, never run.

# Connections that are compared.
server_connections=(1 16)

bench_server() {
  need_packages postgresql-15 libpq-dev pkg-config
  build_measures
  local here=$root/Tests/Benchmarks/Server floor=$build/floor/refresh_floor url flags run connections
  mkdir -p "$build/floor" "$work/server"
  read -ra flags <<<"$(pkg-config --cflags --libs libpq)"
  cc -std=c17 -D_DEFAULT_SOURCE -O2 -Wall -Wextra -o "$floor" "$here/refresh_floor.c" \
    "${flags[@]}" -pthread
  # Ends with this script, also when it is interrupted.
  postgresql=$("$root/Tests/Support/PostgreSQL/server.sh" start --for $$ --on-disk fsync=on)
  url="postgres://postgres@/postgres?host=$postgresql/socket"
  mkdir "$postgresql/photos"
  "$release/Benchmarks" server-photos --url "$url" --schema bench_photos \
    --folder "$postgresql/photos" >"$work/server.figures"
  for run in $(seq "$runs"); do
    for connections in "${server_connections[@]}"; do
      "$release/Benchmarks" server-refreshes --url "$url" --schema "bench_${run}_$connections" \
        --texts "$here/refresh.sql" --folder "$work/server" --connections "$connections" \
        --seconds "$seconds"
      "$floor" "$url" "bench_${run}_$connections" "$here/refresh.sql" "$connections" "$seconds"
    done
  done >>"$work/server.figures"
  "$root/Tests/Support/PostgreSQL/server.sh" stop "$postgresql"
  report_server
}

report_server() {
  local kind connections
  for connections in "${server_connections[@]}"; do
    for kind in refreshes store floor; do
      figure "server-$kind-$connections" "$(server_median "$kind-$connections")" refreshes/s
    done
    for kind in store floor; do
      figure "server-$kind-$connections-cpu" "$(server_median "$kind-$connections-cpu")" µs
    done
    figure "server-repeats-$connections" "$(server_median "repeats-$connections")" %
  done
  for kind in {folder,rows}-{up,down}; do
    figure "server-photo-$kind" "$(server_median "photo-$kind")" ms
  done
  server_ratio photo-up-to-folder photo-rows-up photo-folder-up
  server_ratio photo-down-to-folder photo-rows-down photo-folder-down
  server_ratio refreshes-to-floor-16 refreshes-16 floor-16
  server_ratio store-cpu-to-floor-16 store-16-cpu floor-16-cpu
  server_ratio refreshes-16-to-1 refreshes-16 refreshes-1
}

server_median() { median "server-$1" <"$work/server.figures"; }

server_ratio() { ratio "server-$1" "$(server_median "$2")" "$(server_median "$3")"; }
