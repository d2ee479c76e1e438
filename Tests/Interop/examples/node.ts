// With Node 24, Deno or Bun, fetch alone: sign up, state, refresh, an error, sign out.
//
//   POSTERN_URL=http://127.0.0.1:7480 POSTERN_APP_KEY=pk_… node node.ts
const { POSTERN_URL, POSTERN_APP_KEY } = process.env;
const device = { deviceId: "node-1", platform: "cli" };
let session: any;
let refreshing: Promise<void> | undefined;

async function send(method: string, request: object, key: string = crypto.randomUUID()) {
  const headers = {
    "content-type": "application/json", "x-postern-app": POSTERN_APP_KEY!,
    "idempotency-key": key,
    ...(session && { authorization: `Bearer ${session.accessToken}` }),
  };
  const url = `${POSTERN_URL}/postern.gateway.v1.${method}`;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(request) });
  const answer: any = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.message), answer.details?.[0].debug);
  return answer;
}
// A refresh token works once, so calls that find the access token expired share one refresh. Its
// key stays beside the token until an answer comes, so that a repeat is the same use. An app that
// can be restarted stores both before the call.
function refresh() {
  session.refreshKey ??= crypto.randomUUID();
  const request = { refreshToken: session.refreshToken, device };
  return refreshing ??= send("Auth/RefreshSession", request, session.refreshKey)
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
