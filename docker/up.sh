#!/usr/bin/env bash
# From a clone to six running programs: installs what is missing, builds, starts.
#
#   docker/up.sh [OPTIONS OF `postern up`]      for example: docker/up.sh --data /srv/postern
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

set_up
build_release
exec "$release/postern" up "$@"
