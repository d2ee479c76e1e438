// Passkeys on /security, without a request of its own. A form with data-passkey has the options of a
// prompt: the browser's answer goes into its field `credential`, and the form is sent.
"use strict";
(() => {
  const passkeys = window.PublicKeyCredential;

  // The browser forgets passkeys that the account does not have, where it can.
  for (const { dataset } of document.querySelectorAll("[data-signal]")) {
    passkeys?.[dataset.signal]?.(JSON.parse(dataset.about)).catch(() => {});
  }

  const form = document.querySelector("form[data-passkey]");
  if (!form) return;
  const isNew = form.dataset.passkey === "create";
  const parse = isNew ? "parseCreationOptionsFromJSON" : "parseRequestOptionsFromJSON";
  if (!passkeys?.[parse]) return;
  form.hidden = false;
  for (const element of document.querySelectorAll("[data-no-prompt]")) element.remove();

  let pending;
  let isAsking = false;

  // Shows the prompt, or with "conditional" offers passkeys in the list of suggestions. Of two
  // requests the browser takes one, so the former ends first.
  async function ask(mediation) {
    pending?.abort();
    const { signal } = (pending = new AbortController());
    try {
      const publicKey = passkeys[parse](JSON.parse(form.dataset.options));
      const credential = await navigator.credentials[isNew ? "create" : "get"](
        mediation ? { publicKey, signal, mediation } : { publicKey, signal });
      form.elements.credential.value = JSON.stringify(credential);
      form.submit();
    } catch {
      // Cancelled, or there is none. The person can press the button again.
      if (mediation || signal.aborted) return;
      isAsking = false;
      for (const element of form.querySelectorAll("[role=alert]")) element.hidden = false;
      suggest();
    }
  }

  async function suggest() {
    if (!("suggest" in form.dataset)) return;
    if ((await passkeys.isConditionalMediationAvailable?.()) && !isAsking) ask("conditional");
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    isAsking = true;
    ask();
  });
  suggest();

  // A challenge ends after some minutes: the page gets another one, unless it would lose a text.
  setTimeout(() => {
    const inputs = [...document.querySelectorAll("input:not([type=hidden])")];
    if (isAsking || inputs.some((input) => input.value !== input.defaultValue)) return;
    location.replace(form.action);
  }, form.dataset.seconds * 1000);
})();
