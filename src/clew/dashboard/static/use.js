// What sessions took and what Clew saved: tokens and dollars by day, project, model and client; what an audit found.

import { get, post } from "./api.js";
import { dollars, html, Loaded, shortId, size, useEffect, useLoaded, useRef, useState } from "./parts.js";

const GROUPS = ["day", "project", "model", "client"];

export function Use() {
  const state = useLoaded((signal) => get("use", {}, signal), []);
  const busy = state.value?.is_running;
  useEffect(() => {
    if (!busy) return undefined;
    const timer = setTimeout(state.reload, 1500);
    return () => clearTimeout(timer);
  }, [busy, state.value]);
  const read = () => post("use/read").then(state.reload, state.reload);
  return html`<h1>Use</h1>
    <${Gain} />
    <h2>What the clients' files record</h2>
    <${Loaded} state=${state}>${(use) => html`
      <p><button type="button" disabled=${use.is_running} onClick=${read}>${use.totals ? "Read the files again" : "Read the files"}</button>
        ${use.is_running && html` <progress max=${Math.max(use.files, 1)} value=${use.read}></progress> ${use.read} of ${use.files}`}
        ${use.failure && html` <span class="error">${use.failure}</span>`}</p>
      ${use.totals ? html`<${Totals} use=${use} />` : html`<p class="dim">They are read when you ask: nothing runs on.</p>`}`}<//>`;
}

function Gain() {
  const [by, setBy] = useState("day");
  const state = useLoaded((signal) => get("gain", { by }, signal), [by]);
  return html`<h2>What Clew saved</h2><${Groups} by=${by} set=${setBy} />
    <${Loaded} state=${state}>${(gain) => gain.rows.length === 0
      ? html`<p class="dim">No prompt was made here yet: sessions that were only read count for nothing.</p>`
      : html`<p><b>${dollars(gain.total.saved.estimated_dollars)}</b> and <b>${size(gain.total.saved.estimated_tokens)}</b> tokens, estimated, over ${gain.total.calls} calls.</p>
        <div class="scroll-x"><table><thead><tr><th scope="col">${by}</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Sent (measured)</th><th scope="col" class="number">From cache</th><th scope="col" class="number">Paid</th><th scope="col" class="number">Would have been sent (estimated)</th><th scope="col" class="number">Saved (estimated)</th><th scope="col" class="number">Fetched back</th></tr></thead>
        <tbody>${gain.rows.map((one) => html`<tr key=${one.name}><th scope="row">${one.name}</th><td class="number">${one.calls}</td><td class="number">${size(one.measured.input_tokens)}</td><td class="number">${size(one.measured.cache_read_tokens)}</td><td class="number">${dollars(one.measured.dollars)}</td><td class="number">${size(one.estimated.input_tokens)}</td><td class="number">${dollars(one.saved.estimated_dollars)}</td><td class="number">${size(one.fetched_back.estimated_tokens)}</td></tr>`)}</tbody></table></div>`}<//>`;
}

function Groups({ by, set }) {
  return html`<div class="buttons" role="group" aria-label="By">${GROUPS.map((one) => html`<button type="button" class="small" aria-pressed=${one === by ? "true" : "false"} onClick=${() => set(one)}>${one}</button>`)}</div>`;
}

function Totals({ use }) {
  const [by, setBy] = useState("day");
  const { totals } = use;
  const rows = by === "client" ? use.by_client : totals.cost[`by_${by}`];
  return html`<p><b>${dollars(totals.cost.dollars)}</b> for ${totals.requests} requests of ${totals.sessions} sessions: sent ${size(totals.usage.input_tokens)}, of it from the cache ${size(totals.usage.cache_read_tokens)}; answered ${size(totals.usage.output_tokens)}.</p>
    <${Groups} by=${by} set=${setBy} />
    ${by === "day" && html`<${Days} rows=${rows} />`}
    <div class="scroll-x tall"><table><thead><tr><th scope="col">${by}</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Sent</th><th scope="col" class="number">From cache</th><th scope="col" class="number">Written to it</th><th scope="col" class="number">Not cached</th><th scope="col" class="number">Answered</th><th scope="col" class="number">Dollars</th></tr></thead>
      <tbody>${rows.map((one) => html`<tr key=${one[by]}><th scope="row">${one[by] || "(unknown)"}</th><td class="number">${one.requests}</td><td class="number">${size(one.input_tokens)}</td><td class="number">${size(one.cache_read_tokens)}</td><td class="number">${size(one.cache_write_tokens)}</td><td class="number">${size(Math.max(one.input_tokens - one.cache_read_tokens - one.cache_write_tokens, 0))}</td><td class="number">${size(one.output_tokens)}</td><td class="number">${dollars(one.dollars)}${one.unpriced_tokens ? "+" : ""}</td></tr>`)}</tbody></table></div>
    <h2>What an audit found</h2>
    <p class="dim">${totals.compactions} compactions, ${totals.waited_seconds} s waited for them; ${size(totals.read_again_tokens)} tokens read again; ${totals.lost === null ? "" : `${totals.lost} of ${totals.needed} needed facts lost; `}${totals.rules_repeated} rules repeated, ${totals.rules_broken} broken.</p>
    ${use.findings.length === 0 && html`<p class="dim">Nothing${use.is_running ? " yet" : ""}.</p>`}
    <${Findings} findings=${use.findings} names=${use.names} />`;
}

function Days({ rows }) {
  const box = useRef(null);
  useEffect(() => {
    const days = rows.filter((one) => /^\d{4}-/.test(one.day)).sort((a, b) => a.day.localeCompare(b.day));
    if (!box.current || days.length < 2) return undefined;
    const style = getComputedStyle(document.documentElement);
    const axis = { stroke: style.getPropertyValue("--dim").trim(), grid: { stroke: style.getPropertyValue("--line").trim(), width: 1 } };
    const color = style.getPropertyValue("--accent").trim();
    const options = { width: box.current.clientWidth, height: 180, legend: { show: false }, cursor: { show: false }, axes: [axis, { ...axis, values: (_, all) => all.map(dollars), size: 70 }], series: [{}, { label: "dollars", stroke: color, fill: `${color}33`, paths: uPlot.paths.bars({ size: [0.7, 40] }), value: (_, value) => dollars(value) }] };
    const chart = new uPlot(options, [days.map((one) => Date.parse(one.day) / 1000), days.map((one) => one.dollars)], box.current);
    return () => chart.destroy();
  }, [rows]);
  return html`<div ref=${box} class="chart"></div>`;
}

const KINDS = { lost: "lost", code: "code read again", read_again: "read again", repeated: "rule repeated", broken: "rule broken" };

// By kind, those that matter most first; each with the lines that it stands on.
function Findings({ findings, names }) {
  const kinds = [...new Set(findings.map((one) => one.kind))].sort((one, other) => order(one) - order(other));
  return kinds.map((kind) => html`<h3 key=${kind}>${KINDS[kind] || kind.replaceAll("_", " ")} <span class="dim">${findings.filter((one) => one.kind === kind).length}</span></h3>
    ${findings.filter((one) => one.kind === kind).map((one) => html`<${Finding} key=${one.id} finding=${one} name=${names[one.source]?.[one.session] || one.session} />`)}`);
}

const order = (kind) => ["broken", "lost", "code", "repeated", "read_again"].indexOf(kind) >>> 0;

function Finding({ finding, name }) {
  const evidence = (finding.evidence || [])[0];
  const link = `#/s/${encodeURIComponent(name)}${evidence ? `/thread/${evidence.message}` : ""}`;
  return html`<details class="finding"><summary>${finding.says} <a class="source" href=${link}>${shortId(finding.session)}</a></summary>
    ${(finding.evidence || []).map((one) => html`<p class="dim">${one.role}: ${one.message}, line ${one.line}, ${one.speaker}</p><pre class="text">${one.text}</pre>`)}</details>`;
}
