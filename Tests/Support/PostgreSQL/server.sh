#!/usr/bin/env bash
# A private PostgreSQL server for tests, on a socket in FOLDER/socket, without a password.
#
#   server.sh start [--for PID] [--durable] [--standby]
#       starts a server in a new folder and prints the folder
#       --for      it stops when the process PID has ended, also when that is killed
#       --durable  a commit waits for the disk, as the programs require it
#       --standby  durable, and a commit waits for a second server too, at port 5433 of the socket
#   server.sh restart FOLDER    as after a crash: it recovers from its log
#   server.sh kill FOLDER       ends the first server, without a word to its clients
#   server.sh promote FOLDER    the standby becomes the primary, with no standby of its own
#   server.sh stop FOLDER       stops all of it, and removes the folder
set -euo pipefail

script=$(realpath "${BASH_SOURCE[0]}")
programs=/usr/lib/postgresql/15/bin

# Runs a command as a user that PostgreSQL accepts: it refuses to run as root.
as_user() {
  if ((EUID)); then "$@"; else runuser -u postgres -- "$@"; fi
}

# control DATA ACTION [OPTION…]
control() {
  as_user "$programs/pg_ctl" --pgdata="$1" --silent --wait "${@:2}"
}

start() {
  local process= durable=off standby=
  while (($#)); do
    case $1 in
      --for) process=$2 && shift ;;
      --durable) durable=on ;;
      --standby) durable=on standby=yes ;;
      *) usage ;;
    esac
    shift
  done
  if [[ ! -x $programs/initdb ]]; then
    echo "PostgreSQL 15 is missing: install the Debian package postgresql-15" >&2
    exit 1
  fi
  # In memory if there is room. Not below TMPDIR: the server's user may not reach that, nor the
  # checkout, and a socket's path has at most 107 bytes.
  local place=/tmp
  if [[ $(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) -ge 4194304 ]]; then
    place=/dev/shm
  fi
  folder=$(mktemp -d "$place/postern-postgresql.XXXXXX")
  mkdir "$folder/socket"
  if ((EUID == 0)); then chown -R postgres: "$folder"; fi
  cd "$folder"
  trap 'cat "$folder"/*.log >&2; stop "$folder" || rm -rf "$folder"' EXIT
  as_user "$programs/initdb" --pgdata="$folder/data" --username=postgres --auth=trust \
    --encoding=UTF8 --locale=C --no-sync --no-instructions >"$folder/initdb.log" 2>&1
  # In the file, so that a restart has them too.
  as_user tee -a "$folder/data/postgresql.conf" >/dev/null <<EOF
listen_addresses = ''
unix_socket_directories = '$folder/socket'
fsync = $durable
max_connections = 1000
EOF
  control "$folder/data" start --log="$folder/server.log"
  if [[ $standby ]]; then start_standby; fi
  trap - EXIT
  if [[ $process ]]; then
    # It keeps none of our streams open.
    setsid bash "$script" stop-after "$process" "$folder" </dev/null >/dev/null 2>&1 &
  fi
  echo "$folder"
}

start_standby() {
  as_user "$programs/pg_basebackup" --host="$folder/socket" --username=postgres --no-sync \
    --pgdata="$folder/standby" --write-recovery-conf >>"$folder/initdb.log" 2>&1
  echo "port = 5433" | as_user tee -a "$folder/standby/postgresql.conf" >/dev/null
  control "$folder/standby" start --log="$folder/standby.log"
  # From now on the first server waits for it.
  echo "synchronous_standby_names = '*'" |
    as_user tee -a "$folder/data/postgresql.conf" >/dev/null
  control "$folder/data" reload
}

stop() {
  cd /
  for data in "$1/data" "$1/standby"; do
    if [[ -f $data/postmaster.pid ]]; then control "$data" stop --mode=immediate || true; fi
  done
  rm -rf "$1"
}

usage() {
  sed -n '4,13s/^# *//p' "$script" >&2
  exit 2
}

case ${1:-} in
  start) start "${@:2}" ;;
  stop-after)
    while kill -0 "$2" 2>/dev/null; do sleep 0.5; done
    stop "$3"
    ;;
  restart)
    cd /
    control "$2/data" restart --mode=immediate --log="$2/server.log"
    ;;
  kill)
    cd /
    control "$2/data" stop --mode=immediate
    ;;
  promote)
    cd /
    control "$2/standby" promote
    ;;
  stop) stop "$2" ;;
  *) usage ;;
esac
