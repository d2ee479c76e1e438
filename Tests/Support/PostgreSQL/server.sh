#!/usr/bin/env bash
# A private PostgreSQL server for tests, on a socket in FOLDER/socket, without a password and
# without durability.
#
#   server.sh start [--for PID] [--tls CHAIN KEY] [--on-disk] [SETTING=VALUE…]
#                           starts a server in a new folder and prints the folder; it stops when the
#                           process PID has ended
#   server.sh stop FOLDER   ends it, with its standby, and removes the folder
#   server.sh down FOLDER [MODE], up FOLDER
#                           stops it, at once or in pg_ctl's MODE, and starts it again
#   server.sh standby FOLDER, end-standby FOLDER
#                           starts a standby of it, and ends that
set -euo pipefail

script=$(realpath "${BASH_SOURCE[0]}")
programs=/usr/lib/postgresql/15/bin

# Runs a command as a user that PostgreSQL accepts: it refuses to run as root.
as_user() {
  if ((EUID)); then "$@"; else runuser -u postgres -- "$@"; fi
}

start() {
  local pid='' tls=() settings=() place=''
  while (($#)); do
    case $1 in
      --for) pid=$2 && shift 2 ;;
      --tls) tls=("$2" "$3") && shift 3 ;;
      --on-disk) place=/var/tmp && shift ;;
      *) settings+=("$1") && shift ;;
    esac
  done
  if [[ ! -x $programs/initdb ]]; then
    echo "PostgreSQL 15 is missing: install the Debian package postgresql-15" >&2
    exit 1
  fi
  # In memory if there is room. Not below TMPDIR: the server's user may not reach that, nor the
  # checkout, and a socket's path has at most 107 bytes.
  if [[ -z $place ]]; then
    place=/tmp
    if [[ $(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) -ge 4194304 ]]; then
      place=/dev/shm
    fi
  fi
  folder=$(mktemp -d "$place/postern-postgresql.XXXXXX")
  mkdir "$folder/socket"
  if ((EUID == 0)); then chown -R postgres: "$folder"; fi
  cd "$folder"
  trap 'cat "$folder"/*.log >&2; stop "$folder" || rm -rf "$folder"' EXIT
  as_user "$programs/initdb" --pgdata="$folder/data" --username=postgres --auth=trust \
    --encoding=UTF8 --locale=C --no-sync --no-instructions >"$folder/initdb.log" 2>&1
  # deadlock_timeout: two flows that each hold one session of an account and want all wait for it. With
  # the default of a second, a storm of such pairs would take hours.
  printf '%s\n' "listen_addresses=''" "unix_socket_directories='$folder/socket'" fsync=off \
    deadlock_timeout=10ms max_connections=1000 "${settings[@]}" >>"$folder/data/postgresql.conf"
  if ((${#tls[@]})); then
    cp "${tls[0]}" "$folder/data/server.crt"
    cp "${tls[1]}" "$folder/data/server.key"
    chmod 600 "$folder/data/server.key"
    if ((EUID == 0)); then chown postgres: "$folder/data"/server.*; fi
    # Addresses that are this machine's, and that nobody takes for a local connection.
    printf 'hostssl all all %s trust\n' 127.0.0.2/32 127.0.0.3/32 >>"$folder/data/pg_hba.conf"
    echo ssl=on >>"$folder/data/postgresql.conf"
  fi
  up "$folder"
  trap - EXIT
  if [[ $pid ]]; then
    # Also when that process is killed. It keeps none of our streams open.
    setsid bash "$script" stop-after "$pid" "$folder" </dev/null >/dev/null 2>&1 &
  fi
  echo "$folder"
}

up() {
  as_user "$programs/pg_ctl" --pgdata="$1/data" --log="$1/server.log" --silent --wait start
}

down() {
  as_user "$programs/pg_ctl" --pgdata="$1/data" --silent --mode="${2:-immediate}" stop
}

standby() {
  cd "$1"
  mkdir standby-socket
  if ((EUID == 0)); then chown postgres: standby-socket; fi
  as_user "$programs/pg_basebackup" --host="$1/socket" --port="$(sed -n 4p data/postmaster.pid)" \
    --username=postgres --pgdata="$1/standby" --write-recovery-conf --checkpoint=fast --no-sync
  echo "unix_socket_directories='$1/standby-socket'" >>standby/postgresql.conf
  as_user "$programs/pg_ctl" --pgdata="$1/standby" --log="$1/standby.log" --silent --wait start
}

end_standby() {
  as_user "$programs/pg_ctl" --pgdata="$1/standby" --silent --mode=immediate stop
  rm -rf "$1/standby" "$1/standby-socket"
}

stop() {
  cd /
  if [[ -d $1/standby ]]; then end_standby "$1"; fi
  # A test may have stopped it.
  if [[ -f $1/data/postmaster.pid ]]; then down "$1"; fi
  rm -rf "$1"
}

case ${1:-} in
  start) start "${@:2}" ;;
  stop-after)
    while kill -0 "$2" 2>/dev/null; do sleep 0.5; done
    stop "$3"
    ;;
  stop | up | standby) "$1" "$2" ;;
  down) down "${@:2}" ;;
  end-standby) end_standby "$2" ;;
  *)
    echo "usage: server.sh start [OPTION…] | stop | up | down | standby | end-standby FOLDER" >&2
    exit 2
    ;;
esac
