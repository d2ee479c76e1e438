#!/usr/bin/env bash
# Shows every message in every language as Chromium renders it: on a phone (375 px) and wide
# (800 px), light and dark. Fails if a mail is wider than its window; everything else is for a
# person to check.
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

failed=0
for voice in en de de-formal es es-formal fr ja; do
  page=$sheets/$voice.html
  formal=()
  [[ $voice == *-formal ]] && formal=(--formal)
  "$postern" template preview all --language "${voice%-formal}" "${formal[@]}" --product "Tea & Cake" \
    --output "$page" "${options[@]}" >/dev/null
  # 16,000 px suffice for all messages; at half their size they are still readable.
  browse --force-device-scale-factor=0.5 --window-size=2850,16000 \
    --screenshot="$sheets/$voice.png" "file://$page" >/dev/null
  shown=$(browse --dump-dom "file://$page")
  frames=$(grep -o '<iframe [^>]*class="[a-z-]*"' <<<"$shown" | grep -c 'class="fits"' || true)
  wide=$(grep -o '<iframe [^>]*class="[a-z-]*"' <<<"$shown" | grep -c 'class="too-wide"' || true)
  echo "mail-sheets: $voice: $frames views fit, $wide are too wide: $sheets/$voice.png"
  [[ $wide == 0 && $frames -gt 0 ]] || failed=1
done
exit $failed
