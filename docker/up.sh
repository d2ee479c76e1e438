#!/usr/bin/env bash
# From a clone to six running programs: installs what is missing, builds, starts.
#
#   docker/up.sh [OPTIONS OF `postern up`]      for example: docker/up.sh --data /srv/postern
#
# With `--store private` it installs PostgreSQL too.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

[[ -e $root/.build/release/postern ]] ||
  say "the first build takes about 8 minutes on 2 cores; later ones seconds"
server=()
[[ " $* " != *" --store private "* && " $* " != *" --store=private "* ]] ||
  server=(postgresql-15)
set_up "${server[@]}"
build_release
exec "$release/postern" up "$@"
