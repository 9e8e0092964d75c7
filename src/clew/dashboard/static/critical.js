// Critical items with source and age, rules kept and broken, contradictions side by side; pin, accept, unpin, dismiss.

import { get, post, session } from "./api.js";
import { age, html, Level, Loaded, percent, Source, useLoaded, useState } from "./parts.js";

const KINDS = ["decision", "requirement", "constraint", "preference", "convention", "custom"];

export function Critical({ id, turn }) {
  const state = useLoaded((signal) => get(session(id, "critical"), {}, signal), [id, turn]);
  const [said, setSaid] = useState("");
  const act = async (path, body) => {
    try {
      const done = await post(session(id, path), body);
      setSaid(done.done || `${done.item.id} is in force`);
    } catch (error) {
      setSaid(error.message);
    }
    state.reload();
  };
  return html`<p role="status">${said}</p><${Loaded} state=${state}>${({ pins, drift, alert }) => html`
    ${alert && html`<div class="alert" role="alert"><${Level} level=${alert.health} /> ${alert.findings.join("; ") || `the window is ${Math.round(alert.utilization * 100)} % full`} ${" "}
      <button type="button" class="small" onClick=${() => act("dismiss", {})}>Dismiss</button></div>`}
    <h2>Critical items</h2><${PinForm} act=${act} /><${Pins} id=${id} pins=${pins} act=${act} />
    <h2>Rules</h2><${Rules} id=${id} rules=${drift.requirements} />
    <h2>Contradictions</h2><${Contradictions} id=${id} found=${drift.contradictions} />
    <p class="dim">Drift ${drift.drift_score.toFixed(2)}, from the topic ${drift.topic_drift.toFixed(2)}.</p>`}<//>`;
}

function PinForm({ act }) {
  const [item, setItem] = useState({ text: "", kind: "decision", reason: "" });
  const send = (event) => {
    event.preventDefault();
    act("pin", item).then(() => setItem({ ...item, text: "", reason: "" }));
  };
  const set = (name) => (event) => setItem({ ...item, [name]: event.target.value });
  return html`<form class="filters" onSubmit=${send}>
    <label class="wide">Pin <input type="text" required value=${item.text} onInput=${set("text")} placeholder="words that every prompt shall state" /></label>
    <label>Kind <select value=${item.kind} onChange=${set("kind")}>${KINDS.map((one) => html`<option value=${one}>${one}</option>`)}</select></label>
    <label>Reason <input type="text" value=${item.reason} onInput=${set("reason")} /></label>
    <button type="submit">Pin</button></form>`;
}

const stateOrder = (item) => ["pinned", "proposed"].indexOf(item.state) >>> 0;

function Pins({ id, pins, act }) {
  if (!pins.length) return html`<p class="dim">Nothing is pinned.</p>`;
  return html`<div class="scroll-x"><table><thead><tr><th scope="col">Id</th><th scope="col">Kind</th><th scope="col">Words</th><th scope="col">Source</th><th scope="col">State</th><th scope="col">Age</th><th scope="col"><span class="hidden">Action</span></th></tr></thead>
    <tbody>${[...pins].sort((one, other) => stateOrder(one) - stateOrder(other)).map((one) => html`<tr key=${one.id} class=${one.state === "pinned" ? "" : "gone"}><td>${one.id}</td><td>${one.kind}</td>
      <td class="words">${one.text}${one.reason && html`<div class="dim">${one.reason}</div>`}${one.ended_reason && html`<div class="dim">${one.ended_reason}</div>`}</td>
      <td>${one.source ? html`<${Source} id=${id} part=${one.source} />` : one.by}</td><td>${one.state}</td><td class="nowrap">${age(one.created)}</td>
      <td class="actions">${one.state === "pinned" || one.state === "proposed" ? html`<button type="button" class="small" onClick=${() => act("unpin", { pin: one.id })}>${one.state === "proposed" ? "Drop" : "Unpin"}</button>` : null}
        ${one.state !== "pinned" && one.state !== "superseded" ? html`<button type="button" class="small" onClick=${() => act("accept", { pin: one.id })}>Put in force</button>` : null}</td></tr>`)}</tbody></table></div>`;
}

function Rules({ id, rules }) {
  if (!rules.length) return html`<p class="dim">No rules were given.</p>`;
  const level = { kept: "good", broken: "critical" };
  const told = { kept: "kept", broken: "broken", unknown: "no sign of it" };
  const order = (rule) => ["broken", "kept"].indexOf(rule.state) >>> 0;
  return html`<ul class="rules">${[...rules].sort((one, other) => order(one) - order(other)).map((one) => html`<li key=${one.id}><span class=${`dot ${level[one.state] || ""}`}></span> <b>${told[one.state] || one.state}</b> ${one.text} ${one.evidence && html`<${Source} id=${id} part=${one.evidence} />`} ${one.quote && html`<q class="dim">${one.quote}</q>`}</li>`)}</ul>`;
}

function Contradictions({ id, found }) {
  if (!found.length) return html`<p class="dim">None were found.</p>`;
  return found.map((one) => html`<div class="sides two" key=${`${one.earlier}${one.later}`}>
    <section><h3>Earlier <${Source} id=${id} part=${one.earlier} /></h3><p>${one.earlier_text || `about ${one.about}`}</p></section>
    <section><h3>Later <${Source} id=${id} part=${one.later} /></h3><p>${one.later_text || `about ${one.about}`}</p><p class="dim">${one.speaker}, about ${one.about}; ${percent(one.score)} sure</p></section></div>`);
}
