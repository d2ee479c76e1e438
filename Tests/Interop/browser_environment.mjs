// What a browser gives to browser.ts, for the test that runs it in Node: storage, the page's
// origin and cookies.
Object.assign(globalThis, { localStorage: {}, ...process.env });
const cookies = new Map();
const { fetch } = globalThis;
globalThis.fetch = async (url, options) => {
  const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
  const page = { origin: process.env.PAGE_ORIGIN, "sec-fetch-site": "same-site", cookie };
  const headers = { ...options.headers, ...page };
  const response = await fetch(url, { ...options, headers });
  for (const line of response.headers.getSetCookie()) {
    const [name, value] = line.split(";")[0].split("=");
    cookies.set(name, value);
  }
  return response;
};
