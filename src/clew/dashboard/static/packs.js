// The pack explorer: a budget and a question replay the packer; what enters, shrinks and leaves, and the exact prompt.

import { get, session } from "./api.js";
import { Changes, Copy, html, Loaded, size, Source, useEffect, useLoaded, useRef, useState } from "./parts.js";
import { WindowBar } from "./session.js";

const TARGETS = ["text", "anthropic", "openai-chat", "openai-responses", "gemini"];
const LEAST = 2_000;

// Steps of the slider are equal ratios: small budgets are where it matters.
function budgetAt(step, most) {
  return Math.round(LEAST * (most / LEAST) ** (step / 100) / 100) * 100;
}

export function PackExplorer({ id, limit, turn }) {
  const most = Math.max(limit, LEAST * 2);
  const [step, setStep] = useState(() => Math.round((Math.log(Math.min(16_000, most) / LEAST) / Math.log(most / LEAST)) * 100));
  const [asked, setAsked] = useState({ query: "", target: "text" });
  const [kept, setKept] = useState(null);
  const budget = budgetAt(step, most);
  const settled = useSettled(JSON.stringify({ budget, ...asked }), 120);
  const state = useLoaded((signal) => get(session(id, "pack"), JSON.parse(settled), signal), [id, settled, turn]);
  return html`<form class="filters" onSubmit=${(event) => event.preventDefault()}>
      <label class="wide"><span>Budget <output>${size(budget)} tokens</output></span>
        <input type="range" min="0" max="100" value=${step} onInput=${(event) => setStep(Number(event.target.value))} aria-valuetext=${`${budget} tokens`} /></label>
      <label class="wide">Question <input type="text" value=${asked.query} onInput=${(event) => setAsked({ ...asked, query: event.target.value })} placeholder="what the user would ask next" /></label>
      <label>For <select value=${asked.target} onChange=${(event) => setAsked({ ...asked, target: event.target.value })}>${TARGETS.map((one) => html`<option value=${one}>${one}</option>`)}</select></label>
    </form>
    <p class="dim">Nothing is recorded: this is what would be sent.</p>
    <${Loaded} state=${state}>${(pack) => html`
      <p><b>${pack.tokens}</b> of ${pack.budget} tokens for ${pack.target} <span class="dim">${pack.counted}; ${pack.digest.slice(0, 19)}</span></p>
      <${WindowBar} window=${{ sections: pack.sections, used: pack.tokens, soft: 0, limit: pack.budget, window: pack.budget }} />
      ${!kept && html`<${Since} id=${id} pack=${pack} />`}
      <div class="buttons"><${Copy} text=${pack.prompt} label="Copy the prompt" />
        <button type="button" class="small" onClick=${() => setKept(pack)}>Compare others with this</button>
        ${kept && html`<button type="button" class="small" onClick=${() => setKept(null)}>Stop comparing</button>`}</div>
      ${kept && html`<h2>From ${size(kept.budget)} to ${size(pack.budget)} tokens</h2><${Moves} id=${id} before=${kept} after=${pack} /><${Changes} before=${kept.prompt} after=${pack.prompt} />`}
      <div class="columns">
        <section><h2>Not word for word</h2><${LeftOut} id=${id} left=${pack.left_out} /></section>
        <section><h2>The prompt</h2><pre class="text prompt">${pack.prompt}</pre></section>
      </div>`}<//>`;
}

// The value once it has not changed for a while: the last position of the slider wins.
function useSettled(value, milliseconds) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function LeftOut({ id, left }) {
  if (!left.length) return html`<p class="dim">Everything is sent word for word.</p>`;
  return html`<div class="scroll-x tall"><table><thead><tr><th scope="col">Part</th><th scope="col" class="number">Tokens</th><th scope="col">Shown as</th><th scope="col">Why</th></tr></thead>
    <tbody>${left.slice(0, 500).map((one) => html`<tr key=${one.id}><td><${Source} id=${id} part=${one.id} /></td><td class="number">${size(one.tokens)}</td><td>${one.shown_as}</td><td>${one.reason}</td></tr>`)}</tbody></table>
    ${left.length > 500 && html`<p class="dim">and ${left.length - 500} more</p>`}</div>`;
}

// What the last move of the slider, or another question, did.
function Since({ id, pack }) {
  const looks = useRef({ now: pack, before: null });
  if (looks.current.now !== pack) looks.current = { now: pack, before: looks.current.now };
  const { before } = looks.current;
  if (!before || before.digest === pack.digest) return null;
  return html`<details><summary>Since the look before, of ${size(before.budget)} tokens</summary><${Moves} id=${id} before=${before} after=${pack} /></details>`;
}

const ORDER = ["nothing", "header", "lines", "summary", "curated", "clipped", "whole"];

function Moves({ id, before, after }) {
  const [old, now] = [before, after].map((pack) => new Map(pack.left_out.map((one) => [one.id, one.shown_as])));
  const moved = [...new Set([...old.keys(), ...now.keys()])].map((part) => [part, old.get(part) || "whole", now.get(part) || "whole"]).filter(([, a, b]) => a !== b);
  const way = ([, a, b]) => (b === "whole" ? "enters" : a === "whole" ? "leaves" : ORDER.indexOf(b) > ORDER.indexOf(a) ? "grows" : "shrinks");
  const told = moved.slice(0, 60).map((move) => html`<li><${Source} id=${id} part=${move[0]} /> ${way(move)}: ${move[1]} → ${move[2]}</li>`);
  return html`<p class="dim">${moved.length} parts change their size.</p><ul class="moves">${told}</ul>`;
}
