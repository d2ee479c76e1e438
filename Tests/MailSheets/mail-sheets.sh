#!/usr/bin/env bash
# Shows every message in every language as Chromium renders it: on a phone (375 px) and wide
# (800 px), light and dark, and on a second page with every choice of values that may be empty. Fails
# if a mail is wider than its window; everything else is for a person to check.
#
#   Tests/MailSheets/mail-sheets.sh [FOLDER OF TEMPLATES]
#
# Needs Debian's chromium (and fonts-noto-cjk for Japanese) and a built `postern`; writes pages and
# pictures into .build/mail-sheets.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
postern=${POSTERN_TOOL:-$root/.build/debug/postern}
sheets=${POSTERN_MAIL_SHEETS:-$root/.build/mail-sheets}
options=(${1:+--folder "$1"})

if ! command -v chromium >/dev/null; then
  echo "mail-sheets: skipped, chromium is not installed (apt-get install chromium)"
  exit 0
fi

mkdir -p "$sheets"
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT

# The first run makes a profile. Each run has a time limit, because a browser can hang.
browse() {
  timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
    --hide-scrollbars --user-data-dir="$profile" "$@" 2>/dev/null
}

# write PAGE VOICE [--gaps]
write() {
  local page=$1 voice=$2
  shift 2
  [[ $voice == *-formal ]] && set -- "$@" --formal
  "$postern" template preview all --language "${voice%-formal}" "$@" --product "Tea & Cake" \
    --output "$page" "${options[@]}" >/dev/null
}

failed=0
# check PAGE NAME: counts the views that fit into their windows.
check() {
  local shown frames wide
  shown=$(browse --dump-dom "file://$1")
  frames=$(grep -o '<iframe [^>]*class="[a-z-]*"' <<<"$shown" | grep -c 'class="fits"' || true)
  wide=$(grep -o '<iframe [^>]*class="[a-z-]*"' <<<"$shown" | grep -c 'class="too-wide"' || true)
  echo "mail-sheets: $2: $frames views fit, $wide are too wide: $1"
  [[ $wide == 0 && $frames -gt 0 ]] || failed=1
}

for voice in en de de-formal es es-formal fr ja; do
  page=$sheets/$voice.html
  write "$page" "$voice"
  # 18,000 px suffice for all messages; at half their size they are still readable.
  browse --force-device-scale-factor=0.5 --window-size=2850,18000 \
    --screenshot="$sheets/$voice.png" "file://$page" >/dev/null
  check "$page" "$voice"
  page=$sheets/$voice.gaps.html
  write "$page" "$voice" --gaps
  check "$page" "$voice with gaps"
done
exit $failed
