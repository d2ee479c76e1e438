// verify_token.mjs JWKS_URL ISSUER AUDIENCE SECONDS_LATER < ACCESS_TOKEN
// Verifies an access token with the Web Crypto API alone; ends with 1 if it is refused.
import { text } from "node:stream/consumers";

const [url, issuer, audience, later] = process.argv.slice(2);
const parts = (await text(process.stdin)).trim().split(".");
const [head, body, signature] = parts.map((part) => Buffer.from(part, "base64url"));
const header = JSON.parse(head);
if (header.alg !== "ES256") throw new Error("alg");
const { keys } = await (await fetch(url)).json();
const jwk = keys.find((key) => key.kid === header.kid);
if (!jwk) throw new Error("kid");
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const key = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["verify"]);
const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
if (!(await crypto.subtle.verify(algorithm, key, signature, signed))) throw new Error("signature");
const claims = JSON.parse(body);
if (claims.iss !== issuer || ![claims.aud].flat().includes(audience)) throw new Error("iss, aud");
if (claims.exp <= Date.now() / 1000 + Number(later)) throw new Error("exp");
