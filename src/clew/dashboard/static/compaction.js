// Compaction: what it would do, line by line; doing it; taking it back.

import { get, post, session } from "./api.js";
import { Changes, dollars, html, Loaded, size, Source, useLoaded, useState } from "./parts.js";

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
    <h2>What it would do</h2><${Loaded} state=${state}>${(found) => html`<${Preview} id=${id} preview=${found} />`}<//>`;
}

function told({ compaction, saved_tokens: saved }) {
  const { before, after } = compaction;
  return saved > 0 ? `Compacted from ${size(before.tokens)} to ${size(after.tokens)} tokens` : `Nothing to compact: ${compaction.reason}`;
}

function Preview({ id, preview }) {
  const { compaction, changes, at_stake: names } = preview;
  if (compaction.after.tokens >= compaction.before.tokens) return html`<p class="dim">Nothing to compact: ${compaction.reason}</p>`;
  return html`<p><b>${size(compaction.before.tokens)}</b> → <b>${size(compaction.after.tokens)}</b> tokens, ${compaction.before.messages} → ${compaction.after.messages} messages.
      Written to the cache anew: ${size(preview.written_tokens)}, about ${dollars(preview.cost)}.</p>
    <p class="dim">Kept: ${Object.entries(compaction.preserved).map(([kind, number]) => `${number} ${kind.replaceAll("_", " ")}`).join(", ")}.</p>
    <div class="scroll-x tall"><table><thead><tr><th scope="col">Part</th><th scope="col">Messages</th><th scope="col" class="number">Tokens</th><th scope="col">Header</th><th scope="col">Becomes</th><th scope="col">Because</th></tr></thead>
      <tbody>${changes.slice(0, 500).map((one) => html`<tr key=${one.id}><td><${Source} id=${id} part=${one.id} /></td><td class="nowrap">${one.messages}</td><td class="number">${size(one.tokens)}</td><td>${one.header}</td><td>${one.becomes}</td><td>${one.because}</td></tr>`)}</tbody></table></div>
    ${names.length > 0 && html`<p>Names that would stand nowhere: ${names.join(", ")}</p>`}
    <p class="dim">Nothing is lost: every part can be read by its id, and a compaction can be taken back.</p>`;
}
