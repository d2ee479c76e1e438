// For pages, with fetch alone: sign up, state, refresh, an error, sign out. The app has
// `refresh: cookie`: no script can read the refresh token, and a page begins with refresh().
declare const POSTERN_URL: string, POSTERN_APP_KEY: string; // from your bundler
const device = { deviceId: localStorage.deviceId ??= crypto.randomUUID(), platform: "web" };
let session: any;
let refreshing: Promise<void> | undefined;

async function send(method: string, request: object) {
  const headers = {
    "content-type": "application/json", "x-postern-app": POSTERN_APP_KEY,
    "connect-protocol-version": "1", "idempotency-key": crypto.randomUUID(),
    ...(session && { authorization: `Bearer ${session.accessToken}` }),
  };
  const response = await fetch(`${POSTERN_URL}/postern.gateway.v1.${method}`,
    { method: "POST", credentials: "include", headers, body: JSON.stringify(request) });
  const answer: any = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.message), answer.details?.[0].debug);
  return answer;
}
// Calls that find the access token expired share one refresh.
function refresh() {
  return refreshing ??= send("Auth/RefreshSession", { device })
    .then((answer) => { session = answer.session; })
    .finally(() => { refreshing = undefined; });
}
async function call(method: string, request: object = {}) {
  if (session && session.accessExpiresAtMs < Date.now() + 10_000) await refresh();
  return send(method, request);
}

const ada = { email: `${crypto.randomUUID()}@example.org`, password: "Correct7Horse", device };
const signedUp = await call("Auth/SignUpWithPassword", ada);
session = signedUp.session;
console.log("signed up:", signedUp.account.accountId);
console.log("authenticated:", (await call("Auth/CheckAuthState")).authenticated);
await Promise.all([refresh(), refresh()]);
console.log("refreshed:", session.sessionId);
await call("Auth/SignInWithPassword", { ...ada, password: "Wrong7Horse" })
  .catch((error) => console.log("error:", error.code));
console.log("signed out:", (await call("Auth/SignOut")).endedSessions);
