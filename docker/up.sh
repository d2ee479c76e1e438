#!/usr/bin/env bash
# From a clone to six running programs: installs what is missing, builds, starts.
#
#   docker/up.sh [OPTIONS OF `postern up`]      for example: docker/up.sh --data /srv/postern
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

[[ -e $root/.build/release/postern ]] ||
  say "the first build takes about 8 minutes on 2 cores; later ones seconds"
set_up
build_release
exec "$release/postern" up "$@"
