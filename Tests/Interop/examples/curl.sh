#!/usr/bin/env bash
# With curl and jq: sign up, state, refresh, an error, sign out.
#
#   POSTERN_URL=http://127.0.0.1:7480 POSTERN_APP_KEY=pk_… ./curl.sh
set -euo pipefail

# Calls METHOD with the request on standard input: call METHOD [OPTION OF CURL]…
call() {
  local method=$1
  shift
  # A repeat after a lost answer would send the same idempotency key.
  curl --silent --show-error "$POSTERN_URL/postern.gateway.v1.$method" --data @- "$@" \
    -H 'content-type: application/json' -H "x-postern-app: $POSTERN_APP_KEY" \
    -H "idempotency-key: $(cat /proc/sys/kernel/random/uuid)"
}

email="curl-$RANDOM$RANDOM@example.org"
device='{"deviceId": "curl-1", "platform": "cli"}'
credentials() { printf '{"email": "%s", "password": "%s", "device": %s}' "$email" "$1" "$device"; }

signed_up=$(credentials Correct7Horse | call Auth/SignUpWithPassword)
echo "signed up: $(jq -r .account.accountId <<<"$signed_up")"
access=$(jq -r .session.accessToken <<<"$signed_up")

state=$(echo '{}' | call Auth/CheckAuthState -H "authorization: Bearer $access")
echo "authenticated: $(jq .authenticated <<<"$state")"

refreshed=$(jq '{refreshToken: .session.refreshToken}' <<<"$signed_up" | call Auth/RefreshSession)
echo "refreshed: $(jq -r .session.sessionId <<<"$refreshed")"
access=$(jq -r .session.accessToken <<<"$refreshed")

wrong=$(credentials Wrong7Horse | call Auth/SignInWithPassword)
echo "error: $(jq -r .errorCode <<<"$wrong")"

signed_out=$(echo '{}' | call Auth/SignOut -H "authorization: Bearer $access")
echo "signed out: $(jq .endedSessions <<<"$signed_out")"
