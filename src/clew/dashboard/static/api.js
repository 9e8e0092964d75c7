// Calls of the JSON API, the token of whoever looks from elsewhere, and events as they come.

const KEY = "clew-token";

function token() {
  const given = new URLSearchParams(location.hash.split("?")[1] || "").get("token");
  if (given) {
    sessionStorage.setItem(KEY, given);
    location.replace(location.hash.split("?")[0] || "#/");
  }
  return sessionStorage.getItem(KEY) || "";
}

function headers(more = {}) {
  const given = token();
  return given ? { ...more, authorization: `Bearer ${given}` } : more;
}

async function answerOf(response) {
  const type = response.headers.get("content-type") || "";
  const found = type.startsWith("application/json") ? await response.json() : { error: await response.text() };
  if (!response.ok) throw new Error(found.error || `the server answered ${response.status}`);
  return found;
}

export function address(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const text = new URLSearchParams(given).toString();
  return `/api/${path}${text ? `?${text}` : ""}`;
}

export async function get(path, query = {}, signal) {
  return answerOf(await fetch(address(path, query), { headers: headers(), signal }));
}

export async function post(path, body = {}) {
  const sent = { method: "POST", headers: headers({ "content-type": "application/json" }), body: JSON.stringify(body) };
  return answerOf(await fetch(`/api/${path}`, sent));
}

export async function sendFile(file) {
  const sent = { method: "POST", headers: headers({ "content-type": "application/octet-stream" }), body: file };
  return answerOf(await fetch(address("import", { name: file.name }), sent));
}

export function session(id, path = "") {
  return `sessions/${encodeURIComponent(id)}${path ? `/${path}` : ""}`;
}

// Calls `heard` with the sessions that changed, for as long as the page is open; begins again when a connection ends.
export async function listen(heard, state = () => {}) {
  for (let wait = 500; ; wait = Math.min(wait * 2, 10_000)) {
    try {
      const response = await fetch("/api/events", { headers: headers() });
      if (!response.ok) throw new Error(String(response.status));
      state(true);
      wait = 500;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ""; ; ) {
        const { value, done } = await reader.read();
        if (done) break;
        const events = (rest + value).split("\n\n");
        rest = events.pop();
        for (const event of events) {
          const data = event.split("\n").find((line) => line.startsWith("data: "));
          if (data) heard(JSON.parse(data.slice(6)));
        }
      }
    } catch {
      // the server is away; it is asked again
    }
    state(false);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
