// Passkeys in a page, with the `call` and the `device` of browser.ts: sign in by a button and by
// the browser's list of suggestions, add, list, remove, prove. The field of the address has
// autocomplete="username webauthn".
type Call = (method: string, request: object) => Promise<any>;
const passkeys: any = globalThis.PublicKeyCredential;
let pending: AbortController | undefined;

// Whether the browser has what is used here; otherwise show no button.
export const arePossible = () => !!passkeys?.parseRequestOptionsFromJSON;

// Of two requests at once the browser refuses one, so a new one ends the former.
async function prompt(kind: "create" | "get", publicKey: any, mediation?: string) {
  pending?.abort();
  pending = new AbortController();
  const request: any = { publicKey, signal: pending.signal, ...(mediation && { mediation }) };
  return (await navigator.credentials[kind](request) as any).toJSON();
}

const signed = (options: any, mediation?: string) =>
  prompt("get", passkeys.parseRequestOptionsFromJSON(options), mediation);

// Signs in; with "conditional" it waits until the person picks a passkey in the list of
// suggestions. Returns the session, or nothing if the prompt was cancelled or another has begun.
export async function signIn(call: Call, device: object, mediation?: "conditional") {
  const { options } = await call("Passkeys/BeginPasskeySignIn", {});
  const credential = await signed(options, mediation).catch(() => undefined);
  if (!credential) return;
  try {
    return (await call("Passkeys/SignInWithPasskey", { credential, device })).session;
  } catch (error: any) {
    if (error.code === "auth/unknown-passkey") {
      const unknown = { rpId: options.rpId, credentialId: credential.id };
      await passkeys.signalUnknownCredential?.(unknown).catch(() => {});
    }
    throw error;
  }
}

// For the list of suggestions, when the page loads: until somebody signs in, with a new challenge
// before the old one ends. `wasTyped` says whether the person is at another way to sign in.
export async function suggest(call: Call, device: object, wasTyped: () => boolean) {
  while (await passkeys?.isConditionalMediationAvailable?.()) {
    const timer = setTimeout(() => { if (!wasTyped()) pending?.abort("expired"); }, 570_000);
    const session = await signIn(call, device, "conditional").finally(() => clearTimeout(timer));
    // A button has ended the request: it suggests again if its own prompt is cancelled.
    if (session || pending?.signal.reason !== "expired") return session;
  }
}

// Adds a passkey in a session. `automatic`, after a sign-in by password: the browser adds one
// without a prompt if it has just filled in that password, and declines otherwise.
export async function add(call: Call, device: object, name = "", automatic = false) {
  if (automatic && !(await passkeys?.getClientCapabilities?.())?.conditionalCreate) return;
  const { options } = await call("Passkeys/BeginPasskeyAdd", { automatic });
  const credential = await prompt("create", passkeys.parseCreationOptionsFromJSON(options),
    automatic ? "conditional" : undefined).catch((error) => {
      if (automatic || error.name === "NotAllowedError") return undefined; // declined, cancelled
      throw error; // InvalidStateError: this device has one already
    });
  return credential && call("Passkeys/AddPasskey", { credential, name, device });
}

// The list, for a screen. The browser forgets the passkeys that are not in it.
export async function list(call: Call) {
  const answer = await call("Passkeys/ListPasskeys", {});
  const usable = (answer.passkeys ?? []).filter((passkey: any) => !passkey.isUnusable);
  if (answer.rpId) await passkeys?.signalAllAcceptedCredentials?.({
    rpId: answer.rpId, userId: answer.userHandle,
    allAcceptedCredentialIds: usable.map((passkey: any) => passkey.credentialId),
  }).catch(() => {});
  return answer.passkeys ?? [];
}

// Removes one; after auth/requires-recent-login ask for a proof, and call it again.
export async function remove(call: Call, device: object, passkeyId: string) {
  await call("Passkeys/RemovePasskey", { passkeyId, device });
  return list(call);
}

// A proof for AccountSessions/Reauthenticate, as its `passkey`; with a challenge, for
// SignInChallenges/CompleteSignIn.
export async function prove(call: Call, device: object, challenge = "") {
  const { options } = await call("Passkeys/BeginPasskeyProof", { challenge, device });
  return signed(options);
}
