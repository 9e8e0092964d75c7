// Compaction: what it would do, line by line; doing it; taking it back.

import { get, post, session } from "./api.js";
import { Changes, dollars, html, Loaded, size, Source, Sourced, useLoaded, useState } from "./parts.js";

const STRATEGIES = ["auto", "summarize", "selective", "chunked", "aggressive"];

export function Compaction({ id, turn }) {
  const [asked, setAsked] = useState({ strategy: "auto", keep_recent: "", budget: "" });
  const state = useLoaded((signal) => get(session(id, "preview"), asked, signal), [id, JSON.stringify(asked), turn]);
  const [ran, setRan] = useState(null);
  const [busy, setBusy] = useState("");
  const set = (name) => (event) => setAsked({ ...asked, [name]: event.target.value });
  const prompt = () => get(session(id, "pack")).then((pack) => pack.prompt);
  const run = async (what, path, body) => {
    setBusy(what);
    try {
      const before = await prompt();
      const done = await post(session(id, path), body);
      setRan({ said: done.done || told(done), before, after: await prompt() });
    } catch (error) {
      setRan({ said: error.message });
    }
    setBusy("");
    state.reload();
  };
  const options = { strategy: asked.strategy, ...(asked.keep_recent && { keep_recent: Number(asked.keep_recent) }), ...(asked.budget && { budget: Number(asked.budget) }) };
  return html`<form class="filters" onSubmit=${(event) => event.preventDefault()}>
      <label>Strategy <select value=${asked.strategy} onChange=${set("strategy")}>${STRATEGIES.map((one) => html`<option value=${one}>${one}</option>`)}</select></label>
      <label>Keep recent <input type="number" min="0" value=${asked.keep_recent} onChange=${set("keep_recent")} placeholder="messages" /></label>
      <label>Budget <input type="number" min="500" step="500" value=${asked.budget} onChange=${set("budget")} placeholder="tokens" /></label>
      <button type="button" disabled=${Boolean(busy)} onClick=${() => run("Compacting…", "compact", options)}>Compact</button>
      <button type="button" disabled=${Boolean(busy)} onClick=${() => run("Taking it back…", "undo", {})}>Undo the last</button>
    </form>
    ${busy && html`<p role="status"><progress></progress> ${busy}</p>`}
    ${ran && html`<p role="status">${ran.said}</p>${ran.after !== undefined && html`<details open><summary>The prompt before and after</summary><${Changes} before=${ran.before} after=${ran.after} /></details>`}`}
    <h2>What it would do</h2><${Loaded} state=${state}>${({ preview, kept }) => html`<${Preview} id=${id} preview=${preview} kept=${kept} />`}<//>`;
}

function plural(word, number) {
  return number === 1 || word.endsWith("s") ? word : `${word}s`;
}

function told({ compaction, saved_tokens: saved }) {
  const { before, after } = compaction;
  return saved > 0 ? `Compacted from ${size(before.tokens)} to ${size(after.tokens)} tokens` : `Nothing to compact: ${compaction.reason}`;
}

// The messages of a segment, as ids.
function idsOf(change) {
  const [first, last] = change.messages.match(/\d+/g).map(Number);
  return new Set([change.id, ...Array.from({ length: last - first + 1 }, (_, at) => `m${first + at}`)]);
}

// A segment that leaves the prompt, and below it the lines that come instead.
function Change({ id, change, kept }) {
  const ids = idsOf(change);
  const lines = [...new Map(kept.filter((one) => ids.has(one.source)).map((one) => [one.text, one])).values()];
  return html`<tr><td><${Source} id=${id} part=${change.id} /></td><td class="number">${size(change.tokens)}</td>
    <td><div class="change removed">− ${change.messages} ${change.header}</div>
      ${lines.map((one) => html`<div class="change added">+ <span class="chip">${one.section}</span><${Sourced} id=${id} text=${one.text} /></div>`)}
      ${lines.length === 0 && html`<div class="change added">+ ${change.becomes}: ${change.header}</div>`}
      <div class="dim">relevance ${change.relevance.toFixed(2)}: ${change.because}</div></td></tr>`;
}

function Preview({ id, preview, kept }) {
  const { compaction, changes, at_stake: names } = preview;
  if (compaction.after.tokens >= compaction.before.tokens) return html`<p class="dim">Nothing to compact: ${compaction.reason}</p>`;
  return html`<p><b>${size(compaction.before.tokens)}</b> → <b>${size(compaction.after.tokens)}</b> tokens, ${compaction.before.messages} → ${compaction.after.messages} messages.
      Written to the cache anew: ${size(preview.written_tokens)}, about ${dollars(preview.cost)}.</p>
    <p class="dim">Kept: ${Object.entries(compaction.preserved).map(([kind, number]) => `${number} ${plural(kind.replaceAll("_", " "), number)}`).join(", ")}.</p>
    <div class="scroll-x tall"><table class="preview"><thead><tr><th scope="col">Part</th><th scope="col" class="number">Tokens</th><th scope="col">No longer word for word, and what comes instead</th></tr></thead>
      <tbody>${changes.slice(0, 200).map((one) => html`<${Change} key=${one.id} id=${id} change=${one} kept=${kept} />`)}</tbody></table></div>
    ${changes.length > 200 && html`<p class="dim">and ${changes.length - 200} more parts</p>`}
    ${names.length > 0 && html`<p>Names that would stand nowhere: ${names.join(", ")}</p>`}
    <p class="dim">Nothing is lost: every part can be read by its id, and a compaction can be taken back.</p>`;
}
