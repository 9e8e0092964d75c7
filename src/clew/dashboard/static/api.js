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
  if (!response.ok) throw Object.assign(new Error(found.error || `the server answered ${response.status}`), { status: response.status });
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

// Resolves once the page is in sight. Browsers lend few connections to one server: a hidden page gives its own back.
function inSight() {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    look();
  });
}

// Calls `heard` with the sessions that changed, for as long as the page is open; begins again when a connection ends.
// Nobody knows what changed while there was none: then all is read again.
export async function listen(heard, state = () => {}) {
  let before = false;
  for (let wait = 500; ; wait = Math.min(wait * 2, 10_000)) {
    await inSight();
    const abort = new AbortController();
    const hide = () => document.hidden && abort.abort();
    document.addEventListener("visibilitychange", hide);
    try {
      const response = await fetch("/api/events", { headers: headers(), signal: abort.signal });
      if (!response.ok) throw new Error(String(response.status));
      state(true);
      if (before) heard({ all: true, sessions: [], gone: [] });
      before = true;
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
      // the server is away, or nobody looks; it is asked again
    }
    document.removeEventListener("visibilitychange", hide);
    state(false);
    if (!abort.signal.aborted) await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
