// A stream with fetch alone, in pages and with Node 24, Deno or Bun: the changes of documents.
//
//   POSTERN_URL=http://127.0.0.1:7480 POSTERN_APP_KEY=pk_… node watch_documents.ts
const { POSTERN_URL, POSTERN_APP_KEY } = process.env;
const device = { deviceId: "watcher-1", platform: "cli" };
let session: any;

function post(method: string, type: string, body: BodyInit) {
  const headers = {
    "content-type": type, "connect-protocol-version": "1", "x-postern-app": POSTERN_APP_KEY!,
    ...(session && { authorization: `Bearer ${session.accessToken}` }),
  };
  return fetch(`${POSTERN_URL}/postern.gateway.v1.${method}`, { method: "POST", headers, body });
}
function failure(error: any) {
  return Object.assign(new Error(error.message), error.details?.[0].debug);
}
async function send(method: string, request: object) {
  const response = await post(method, "application/json", JSON.stringify(request));
  const answer: any = await response.json();
  if (!response.ok) throw failure(answer);
  return answer;
}
// The items of a stream. Each message is an envelope: a byte of flags, four of length, JSON. The
// last one has flag 2: it is the end, with the error if there was one.
async function* stream(method: string, request: object): AsyncGenerator<any> {
  const json = new TextEncoder().encode(JSON.stringify(request));
  const envelope = new Uint8Array(5 + json.length);
  new DataView(envelope.buffer).setUint32(1, json.length);
  envelope.set(json, 5);
  const response = await post(method, "application/connect+json", envelope);
  if (!response.ok) throw failure(await response.json());
  const reader = response.body!.getReader();
  let bytes = new Uint8Array();
  try {
    while (true) {
      const { value, done } = await reader.read();
      if (done) throw new Error("the connection was lost");
      bytes = new Uint8Array([...bytes, ...value]);
      while (bytes.length >= 5) {
        const end = 5 + new DataView(bytes.buffer).getUint32(1);
        if (bytes.length < end) break;
        const message = JSON.parse(new TextDecoder().decode(bytes.subarray(5, end)));
        if (bytes[0] & 2) {
          if (message.error) throw failure(message.error);
          return;
        }
        yield message;
        bytes = bytes.slice(end);
      }
    }
  } finally {
    await reader.cancel(); // a `break` of the reader's loop ends the stream
  }
}

session = (await send("Guests/SignInAsGuest", { device })).session;
const write = { collection: "settings", name: "main", json: '{"units":"metric"}' };
let position = "0"; // store it beside your copy: { afterPosition: position } resumes from there
for await (const item of stream("Documents/WatchDocuments", {})) {
  position = item.position ?? position;
  if (item.written) {
    console.log("written:", item.written.collection, item.written.version);
    break;
  }
  // Neither `written` nor `removed`: the copy is up to date now.
  if (!item.removed) await send("Documents/WriteDocument", { write });
}
