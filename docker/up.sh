#!/usr/bin/env bash
# From a clone to six running programs: installs what is missing, builds, starts.
#
#   docker/up.sh [OPTIONS OF `postern up`]      for example: docker/up.sh --data /srv/postern
#
# With `--store private` it installs PostgreSQL too. It builds nothing where all programs are of this
# checkout, and everything again after the folder was moved.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

server=()
[[ " $* " != *" --store private "* && " $* " != *" --store=private "* ]] ||
  server=(postgresql-15)
build_changed "${server[@]}"
exec "$release/postern" up "$@"
