// For pages, with fetch alone: sign up, state, refresh, an error, sign out. The app has
// `refresh: cookie`: no script can read the refresh token, and a page begins with refresh().
declare const POSTERN_URL: string, POSTERN_APP_KEY: string; // from your bundler
const device = { deviceId: localStorage.deviceId ??= crypto.randomUUID(), platform: "web" };
let session: any;
let refreshing: Promise<void> | undefined;

async function send(method: string, request: object, key: string = crypto.randomUUID()) {
  const headers = {
    "content-type": "application/json", "x-postern-app": POSTERN_APP_KEY,
    "connect-protocol-version": "1", "idempotency-key": key,
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
  return refreshing ??= refreshOnce().finally(() => { refreshing = undefined; });
}
// The key stays until an answer comes. After a reload, or a lost answer, the next try repeats it:
// that is the same use of the cookie. With another key it would look like a theft.
async function refreshOnce(): Promise<void> {
  const key = localStorage.refreshKey ??= crypto.randomUUID();
  const removeKey = () => { if (localStorage.refreshKey === key) delete localStorage.refreshKey; };
  try {
    session = (await send("Auth/RefreshSession", { device }, key)).session;
    removeKey();
  } catch (error: any) {
    if (typeof error.code !== "string" || error.retryable) throw error; // no answer yet
    removeKey();
    // The browser had stored the next cookie, but the page was closed before it removed the key.
    if (error.code === "auth/idempotency-key-reused") return refreshOnce();
    throw error;
  }
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
