// The list of sessions: by project and client, by words, newest first; and where a transcript is dropped.

import { get, sendFile } from "./api.js";
import { dollars, html, Level, Loaded, Meter, percent, shortId, size, useEffect, useLoaded, useState, when } from "./parts.js";

const PAGE = 50;
// How long a list waits before it asks again for sessions that are still being read after an import.
const LATER_MS = 2000;

export function Sessions({ changes }) {
  const [filter, setFilter] = useState({ project: "", client: "", words: "", offset: 0 });
  const state = useLoaded((signal) => get("sessions", { ...filter, limit: PAGE }, signal), [JSON.stringify(filter), changes.turn]);
  const isBehind = state.value?.sessions.some(({ session: one }) => one.health === "unknown");
  useEffect(() => {
    const timer = isBehind && !state.loading && setTimeout(state.reload, LATER_MS);
    return () => clearTimeout(timer);
  }, [isBehind, state.loading]);
  const set = (more) => setFilter((old) => ({ ...old, offset: 0, ...more }));
  return html`
    <h1>Sessions</h1>
    <${Drop} done=${state.reload} />
    <${Loaded} state=${state}>${(page) => html`
      <form class="filters" onSubmit=${(event) => event.preventDefault()}>
        <label>Words <input type="search" value=${filter.words} onInput=${(event) => set({ words: event.target.value })} placeholder="in title, id or folder" /></label>
        <${Choice} label="Project" value=${filter.project} counts=${page.projects} onChange=${(project) => set({ project })} />
        <${Choice} label="Client" value=${filter.client} counts=${page.clients} onChange=${(client) => set({ client })} />
        <a href=${`#/search/${encodeURIComponent(filter.words)}`}>Search in everything said</a>
      </form>
      ${page.total === 0 ? html`<${Empty} filtered=${Boolean(filter.words || filter.project || filter.client)} />` : html`<${Table} page=${page} />`}
      <${Pages} page=${page} offset=${filter.offset} move=${(offset) => setFilter((old) => ({ ...old, offset }))} />
    `}<//>
  `;
}

function Empty({ filtered }) {
  if (filtered) return html`<p class="empty">No session is like that.</p>`;
  return html`<p class="empty">No sessions yet. Drop a transcript here, or at the terminal: <code>clew import FILE</code>, <code>clew wrap claude-code</code>.</p>`;
}

function Choice({ label, value, counts, onChange }) {
  const names = Object.entries(counts).filter(([name]) => name).sort(([, a], [, b]) => b - a);
  return html`<label>${label}
    <select value=${value} onChange=${(event) => onChange(event.target.value)}>
      <option value="">all</option>
      ${names.map(([name, number]) => html`<option value=${name}>${name} (${number})</option>`)}
    </select>
  </label>`;
}

// On a phone rows are no longer laid out as a table: the roles say that they are one.
function Table({ page }) {
  const several = new Set(page.sessions.map(({ session: one }) => one.user)).size > 1;
  return html`<div class="scroll-x"><table class="sessions" role="table">
    <thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Session</th><th scope="col" role="columnheader">Client</th><th scope="col" role="columnheader">Project and branch</th><th scope="col" role="columnheader" class="number">Messages</th>
      <th scope="col" role="columnheader" class="number">Recorded</th><th scope="col" role="columnheader">In use and health</th><th scope="col" role="columnheader" class="number">Cost</th><th scope="col" role="columnheader">Last</th></tr></thead>
    <tbody role="rowgroup">${page.sessions.map(({ name, session: one, project, branch, cost }) => html`<tr role="row" key=${name}>
      <th scope="row" role="rowheader"><a href=${`#/s/${encodeURIComponent(name)}`}>${one.title || one.id}</a><div class="dim" title=${one.id}>${shortId(one.id)}${several && ` · ${one.user || "nobody"}`}</div></th>
      <td role="cell">${one.client || "–"}<div class="dim path" title=${one.model}>${one.model}</div></td>
      <td role="cell" class="path" title=${`${project} ${branch}`}>${project.split("/").slice(-2).join("/") || "–"}<div class="dim path">${branch}</div></td>
      <td role="cell" class="number" data-unit="messages">${one.messages}</td>
      ${one.health === "unknown" ? html`<td role="cell" class="number">–</td><td role="cell" class="dim nowrap">being read: ${percent(one.derived.projections.done / one.derived.projections.of)}</td>` : html`<td role="cell" class="number" data-unit="tokens">${size(one.tokens)}</td>
      <td role="cell"><div class="nowrap"><${Meter} share=${one.utilization} /> <${Level} level=${one.health} /></div><div class="dim nowrap">${percent(one.utilization)} of ${size(one.tokens_limit)}</div></td>`}
      <td role="cell" class="number">${dollars(cost)}</td>
      <td role="cell" class="nowrap">${when(one.updated)}</td>
    </tr>`)}</tbody>
  </table></div>`;
}

function Pages({ page, offset, move }) {
  if (page.total <= PAGE) return null;
  return html`<nav class="pages" aria-label="Pages">
    <button type="button" disabled=${offset === 0} onClick=${() => move(Math.max(offset - PAGE, 0))}>Newer</button>
    <span>${offset + 1}–${Math.min(offset + PAGE, page.total)} of ${page.total}</span>
    <button type="button" disabled=${offset + PAGE >= page.total} onClick=${() => move(offset + PAGE)}>Older</button>
  </nav>`;
}

// A transcript is dropped anywhere on the page, or chosen.
function Drop({ done }) {
  const [said, setSaid] = useState("");
  const [over, setOver] = useState(false);
  const take = async (files) => {
    for (const file of files) {
      setSaid(`Reading ${file.name}…`);
      try {
        const { imported } = await sendFile(file);
        const told = imported.map((one) => `${one.session}: ${one.new_messages} of ${one.messages} messages are new (${one.format})`);
        setSaid(told.join("; ") || `${file.name} holds no session`);
      } catch (error) {
        setSaid(`${file.name}: ${error.message}`);
      }
      done();
    }
  };
  useEffect(() => {
    const enter = (event) => { event.preventDefault(); setOver(true); };
    const leave = (event) => { if (!event.relatedTarget) setOver(false); };
    const drop = (event) => { event.preventDefault(); setOver(false); take([...event.dataTransfer.files]); };
    addEventListener("dragover", enter);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return html`<div class=${`drop${over ? " over" : ""}`}>
    <label>Drop a transcript here, or <input type="file" multiple onChange=${(event) => take([...event.target.files])} aria-label="Import transcripts" /></label>
    <span role="status">${said}</span>
  </div>`;
}
