// The page: what the address names is what is shown.

import { render } from "./vendor/htm-preact-3.1.1.js";
import { listen } from "./api.js";
import { html, useEffect, useRef, useState } from "./parts.js";
import { Knowledge, Search } from "./search.js";
import { SessionPage } from "./session.js";
import { Sessions } from "./sessions.js";
import { Use } from "./use.js";

function place() {
  const [path] = location.hash.replace(/^#\/?/, "").split("?");
  return path.split("/").map(decoded);
}

// Addresses are typed and pasted, too: what is no encoding stands for itself.
function decoded(piece) {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}

function usePlace() {
  const [now, setNow] = useState(place);
  useEffect(() => {
    const moved = () => setNow(place());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return now;
}

const VIEWS = { "": "Sessions", s: "", use: "Use", search: "Search", knowledge: "Knowledge" };
const MODES = ["auto", "light", "dark"];

function Mode() {
  const [mode, setMode] = useState(localStorage.getItem("clew-mode") || "auto");
  useEffect(() => {
    localStorage.setItem("clew-mode", mode);
    if (mode === "auto") document.documentElement.removeAttribute("data-mode");
    else document.documentElement.setAttribute("data-mode", mode);
  }, [mode]);
  const next = MODES[(MODES.indexOf(mode) + 1) % MODES.length];
  return html`<button type="button" class="small quiet" onClick=${() => setMode(next)} title="Light, dark, or as the system has it">
    <span class="hidden">Colours: </span>${mode}
  </button>`;
}

function App() {
  const [view, ...rest] = usePlace();
  const [changes, setChanges] = useState({ turn: 0, sessions: [] });
  const [live, setLive] = useState(false);
  useEffect(() => {
    listen((event) => setChanges((old) => ({ turn: old.turn + 1, all: event.all, sessions: [...event.sessions, ...event.gone] })), setLive);
  }, []);
  const main = useRef(null);
  const opened = useRef(`${view}/${rest[0]}`);
  useEffect(() => {
    if (VIEWS[view] !== "") document.title = `${VIEWS[view] || "Not found"} · Clew`;
    const now = `${view}/${rest[0]}`;
    if (now !== opened.current && view !== "search") main.current.focus();
    opened.current = now;
  }, [view, rest[0]]);
  const shown = { "": "sessions", s: "sessions" }[view] || view;
  const link = (name, to) =>
    html`<a href=${to} aria-current=${shown === name ? "page" : undefined}>${name[0].toUpperCase() + name.slice(1)}</a>`;
  return html`
    <button type="button" class="skip" onClick=${() => main.current.focus()}>Skip to content</button>
    <header class="top">
      <a class="brand" href="#/"><img src="/page/icon.svg" alt="" width="22" height="22" /> Clew</a>
      <nav aria-label="Main">${link("sessions", "#/")} ${link("use", "#/use")} ${link("search", "#/search")} ${link("knowledge", "#/knowledge")}</nav>
      <span class=${`live ${live ? "on" : ""}`} role="status">${live ? "live" : "not connected"}</span>
      <${Mode} />
    </header>
    <main ref=${main} tabindex="-1">
      ${view === "" && html`<${Sessions} changes=${changes} />`}
      ${view === "s" && html`<${SessionPage} key=${rest[0]} id=${rest[0]} tab=${rest[1] || ""} part=${rest[2] || ""} changes=${changes} />`}
      ${view === "use" && html`<${Use} />`}
      ${view === "search" && html`<${Search} query=${rest[0] || ""} />`}
      ${view === "knowledge" && html`<${Knowledge} />`}
      ${!(view in VIEWS) && html`<h1>Not found</h1><p class="empty">There is no such view. <a href="#/">Sessions</a></p>`}
    </main>
  `;
}

const app = document.getElementById("app");
app.textContent = "";
render(html`<${App} />`, app);
