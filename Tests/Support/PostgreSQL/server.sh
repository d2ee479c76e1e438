#!/usr/bin/env bash
# A private PostgreSQL server for tests, on a socket in FOLDER/socket, without a password and
# without durability.
#
#   server.sh start [--for PID]   starts a server in a new folder and prints the folder; it stops
#                                 when the process PID has ended
#   server.sh stop FOLDER
set -euo pipefail

script=$(realpath "${BASH_SOURCE[0]}")
programs=/usr/lib/postgresql/15/bin

# Runs a command as a user that PostgreSQL accepts: it refuses to run as root.
as_user() {
  if ((EUID)); then "$@"; else runuser -u postgres -- "$@"; fi
}

start() {
  if [[ ! -x $programs/initdb ]]; then
    echo "PostgreSQL 15 is missing: install the Debian package postgresql-15" >&2
    exit 1
  fi
  # Below /tmp, because the server's user may not reach the checkout, and a socket's path has at
  # most 107 bytes.
  folder=$(mktemp -d /tmp/postern-postgresql.XXXXXX)
  mkdir "$folder/socket"
  if ((EUID == 0)); then chown -R postgres: "$folder"; fi
  cd "$folder"
  trap 'cat "$folder"/*.log >&2; rm -rf "$folder"' EXIT
  as_user "$programs/initdb" --pgdata="$folder/data" --username=postgres --auth=trust \
    --encoding=UTF8 --locale=C --no-sync --no-instructions >"$folder/initdb.log" 2>&1
  as_user "$programs/pg_ctl" --pgdata="$folder/data" --log="$folder/server.log" --silent --wait \
    start -o "-c listen_addresses='' -c unix_socket_directories='$folder/socket' -c fsync=off \
    -c max_connections=1000"
  trap - EXIT
  if [[ ${1:-} == --for ]]; then
    # Also when that process is killed. It keeps none of our streams open.
    setsid bash "$script" stop-after "$2" "$folder" </dev/null >/dev/null 2>&1 &
  fi
  echo "$folder"
}

stop() {
  cd /
  as_user "$programs/pg_ctl" --pgdata="$1/data" --silent --mode=immediate stop
  rm -rf "$1"
}

case ${1:-} in
  start) start "${@:2}" ;;
  stop-after)
    while kill -0 "$2" 2>/dev/null; do sleep 0.5; done
    stop "$3"
    ;;
  stop) stop "$2" ;;
  *)
    echo "usage: server.sh start [--for PID] | stop FOLDER" >&2
    exit 2
    ;;
esac
