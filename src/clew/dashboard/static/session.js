// One session: where it stands, what fills its window, how that grew, and its other views as tabs.

import { get, session } from "./api.js";
import { Compaction } from "./compaction.js";
import { Critical } from "./critical.js";
import { Layers } from "./layers.js";
import { PackExplorer } from "./packs.js";
import { clock, Copy, dollars, html, Level, Loaded, percent, size, Source, Sourced, useEffect, useLoaded, useRef } from "./parts.js";
import { Thread } from "./thread.js";

const TABS = { "": "Overview", thread: "Thread", layers: "Layers", pack: "Pack", critical: "Critical and drift", compaction: "Compaction" };

export function SessionPage({ id, tab, part, changes }) {
  const turn = useTurn(id, changes);
  const state = useLoaded((signal) => get(session(id), {}, signal), [id, turn]);
  const title = state.value?.row.session.title || id;
  useEffect(() => {
    document.title = `${title} · ${TABS[tab] || "Not found"} · Clew`;
  }, [title, tab]);
  if (state.status === 404) return html`<h1>${title}</h1><p class="empty" role="alert">${state.error}. It may have been deleted. <a href="#/">Sessions</a></p>`;
  return html`<${Loaded} state=${state}>${(view) => html`
    <${Head} view=${view} />
    <nav class="tabs" aria-label="Views of the session">${Object.entries(TABS).map(
      ([name, title]) => html`<a href=${`#/s/${encodeURIComponent(id)}${name && `/${name}`}`} aria-current=${name === tab ? "page" : undefined}>${title}</a>`,
    )}</nav>
    ${tab === "" && html`<${Overview} id=${id} view=${view} turn=${turn} />`}
    ${tab === "thread" && html`<${Thread} id=${id} part=${part} turn=${turn} />`}
    ${tab === "layers" && html`<${Layers} id=${id} turn=${turn} />`}
    ${tab === "pack" && html`<${PackExplorer} id=${id} limit=${view.health.tokens_limit} turn=${turn} />`}
    ${tab === "critical" && html`<${Critical} id=${id} turn=${turn} />`}
    ${!(tab in TABS) && html`<p class="empty">There is no such view of a session.</p>`}
    ${tab === "compaction" && html`<${Compaction} id=${id} turn=${turn} />`}
  `}<//>`;
}

// Counts how often the session has changed since the page was opened.
function useTurn(id, changes) {
  const seen = useRef({ turn: 0, last: changes.turn });
  if (changes.turn !== seen.current.last) {
    seen.current = { turn: seen.current.turn + (changes.all || changes.sessions.includes(id) ? 1 : 0), last: changes.turn };
  }
  return seen.current.turn;
}

function Head({ view }) {
  const one = view.row.session;
  return html`<div class="session-head">
    <h1>${one.title || one.id}</h1>
    <p class="dim">${[one.id, one.client, one.model, view.row.project, view.row.branch && `branch ${view.row.branch}`].filter(Boolean).join(" · ")}</p>
    ${view.resume && html`<p>Go on with <code>${view.resume}</code> <${Copy} text=${view.resume} /></p>`}
  </div>`;
}

function Overview({ id, view, turn }) {
  const window = useLoaded((signal) => get(session(id, "window"), {}, signal), [id, turn]);
  const sizes = useLoaded((signal) => get(session(id, "sizes"), {}, signal), [id, turn]);
  return html`
    <section aria-labelledby="window"><h2 id="window">What fills the window <span class="dim">in the prompt that Clew would send now</span></h2><${Loaded} state=${window}>${(found) => html`<${WindowBar} window=${found} />`}<//></section>
    <div class="columns">
      <section aria-labelledby="stands"><h2 id="stands">Where it stands</h2><${Current} id=${id} current=${view.current} /></section>
      <div><${HealthBox} health=${view.health} row=${view.row} /><${Saved} id=${id} turn=${turn} /></div>
    </div>
    <section aria-labelledby="sizes"><h2 id="sizes">How it grew</h2><${Loaded} state=${sizes}>${(found) => html`<${SizeChart} sizes=${found} limit=${view.health.tokens_limit} />`}<//></section>
    <section aria-labelledby="story"><h2 id="story">Story <span class="dim">as a prompt tells it</span></h2><pre class="text"><${Sourced} id=${id} text=${view.story} /></pre></section>
  `;
}

const FIELDS = { objective: "Objective", done: "Done", open: "Open or failing", files: "Files", functions: "Functions", next: "Next" };

function Current({ id, current }) {
  const fields = Object.entries(FIELDS).map(([name, title]) => [title, [current[name] || []].flat()]).filter(([, facts]) => facts.length);
  if (!fields.length) return html`<p class="dim">Nothing was asked yet.</p>`;
  return html`<dl class="current">${fields.map(([title, facts]) => html`<dt>${title}</dt>
    <dd><ul>${facts.map((fact) => html`<li>${fact.text ?? String(fact)} ${fact.source && html`<${Source} id=${id} part=${fact.source} />`}</li>`)}</ul></dd>`)}</dl>`;
}

function HealthBox({ health, row }) {
  const { usage } = row;
  const drift = health.drift_score >= 0.6 ? "critical" : health.drift_detected ? "warning" : "good";
  const full = health.utilization >= 0.9 ? "critical" : health.utilization >= 0.7 ? "warning" : "good";
  return html`<aside class="health" aria-label="Health">
    <h2>Health <${Level} level=${health.health} /></h2>
    <ul class="indicators">
      <li><span class=${`dot ${full}`}></span> Window ${percent(health.utilization)}: ${size(health.tokens_used)} of ${size(health.tokens_limit)}</li>
      <li><span class=${`dot ${drift}`}></span> Drift ${health.drift_score.toFixed(2)}</li>
      <li><span class=${`dot ${drift}`}></span> Critical items ${health.critical_items}${health.drift_detected ? ", some of them broken" : ""}</li>
    </ul>
    <p class="dim">Window ${size(health.window)} (${health.limit_source}); counted by ${health.used_source}.
      ${health.turns_left !== null && ` About ${health.turns_left} replies left, ${size(Math.round(health.growth_rate))} tokens each.`}</p>
    ${health.suggestions.map((line) => html`<p class="hint">→ ${line}</p>`)} ${health.findings.map((line) => html`<p class="hint">! ${line}</p>`)}
    <p class="dim">${usage.input_tokens ? html`Cost ${row.cost === null ? `not known for ${row.session.model || "this model"}` : dollars(row.cost)}: sent ${size(usage.input_tokens)}, of it cached ${size(usage.cache_read_tokens)}, written to the cache ${size(usage.cache_write_tokens)}; answered ${size(usage.output_tokens)}.` : "Cost not known: its file counts no tokens."}</p>
  </aside>`;
}

function Saved({ id, turn }) {
  const state = useLoaded((signal) => get("gain", { session: id }, signal), [id, turn]);
  const total = state.value?.total;
  if (!state.value) return null;
  if (!total?.calls) return html`<aside class="health" aria-label="Cost with and without Clew"><h2>With and without Clew</h2><p class="dim">No request of this session went through Clew: what it cost is what it cost without.</p></aside>`;
  return html`<aside class="health" aria-label="Cost with and without Clew"><h2>With and without Clew</h2>
    <p>${total.calls} calls cost <b>${dollars(total.measured.dollars)}</b>, measured; without Clew <b>${dollars(total.estimated.dollars)}</b>, estimated.</p>
    <p class="dim">Sent ${size(total.measured.input_tokens)} instead of ${size(total.estimated.input_tokens)} tokens; written to the cache ${size(total.measured.cache_write_tokens)} instead of ${size(total.estimated.cache_write_tokens)}, both paid for in the sums above; fetched back ${size(total.fetched_back.estimated_tokens)}.</p></aside>`;
}

// Sections of a prompt in the order in which they are sent, with the words that people have for them.
const SECTIONS = {
  system: "system prompt", tools: "tools", about: "about", critical: "critical", timeline: "headers", "user-said": "what people said", story: "story",
  state: "state", files: "names and work map", "earlier-summary": "earlier summaries", "conversation-summary": "summary", chunks: "summaries", work: "reports",
  "newest-steps": "newest steps", messages: "live tail", recent: "live tail", knowledge: "knowledge", retrieved: "retrieved", reminders: "reminders", input: "input", frame: "frame",
};
const PLACES = Object.keys(SECTIONS);
const place = (name) => (PLACES.includes(name) ? PLACES.indexOf(name) : PLACES.length);

export function WindowBar({ window: found }) {
  const total = Math.max(found.window, found.used, 1);
  const free = Math.max(found.limit - found.used, 0);
  const rest = [["free", free], ["reserve", Math.max(found.window - found.limit, 0)]];
  const sent = [...found.sections].sort((one, other) => place(one.name) - place(other.name));
  const parts = [...sent.map((one) => [one.name, one.tokens]), ...rest].filter(([, tokens]) => tokens > 0);
  const title = (name) => SECTIONS[name] || name;
  return html`<div class="window-bar" role="img" aria-label=${parts.map(([name, tokens]) => `${title(name)} ${tokens}`).join(", ")}>
      ${parts.map(([name, tokens]) => html`<span class=${`part in-${name}`} title=${`${title(name)}: ${tokens} tokens`} style=${{ width: `${(tokens / total) * 100}%` }}></span>`)}
      ${found.soft > 0 && html`<span class="limit" title=${`compaction begins at ${found.soft}`} style=${{ left: `${(found.soft / total) * 100}%` }}></span>`}
      <span class="limit hard" title=${`limit ${found.limit}`} style=${{ left: `${(found.limit / total) * 100}%` }}></span>
    </div>
    <ul class="legend">${parts.map(([name, tokens]) => html`<li><span class=${`swatch in-${name}`}></span>${title(name)} <b>${size(tokens)}</b></li>`)}
      ${found.soft > 0 && html`<li><span class="swatch limit"></span>soft limit, compaction begins <b>${size(found.soft)}</b></li>`}<li><span class="swatch limit hard"></span>hard limit <b>${size(found.limit)}</b></li></ul>`;
}

function SizeChart({ sizes, limit }) {
  const box = useRef(null);
  const { points, compactions } = sizes;
  useEffect(() => {
    if (!box.current || points.length < 2) return undefined;
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    const counted = points.some((one) => one.counted !== null);
    const data = [points.map((one) => one.number), points.map((one) => one.recorded), ...(counted ? [points.map((one) => one.counted)] : []), points.map(() => limit)];
    const axis = { stroke: color("--dim"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false } };
    const values = (_, all) => all.map(size);
    const marks = (chart) => {
      const { ctx, bbox } = chart;
      ctx.save();
      for (const one of compactions) {
        const x = chart.valToPos(one.number, "x", true);
        ctx.strokeStyle = color(one.by === "clew" ? "--accent" : "--warning");
        ctx.setLineDash([4, 4]);
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
      }
      ctx.restore();
    };
    const options = {
      width: box.current.clientWidth,
      height: 240,
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 30 }, { ...axis, values, size: 60 }],
      series: [
        { label: "message" },
        { label: "recorded", stroke: color("--dim"), width: 1, value: (_, value) => size(value) },
        ...(counted ? [{ label: "prompt as counted", stroke: color("--accent"), width: 2, spanGaps: true, value: (_, value) => size(value) }] : []),
        { label: "limit", stroke: color("--critical"), width: 1, dash: [6, 4], value: (_, value) => size(value) },
      ],
      hooks: { draw: [marks], setCursor: [(one) => one.cursor.idx === null && one.setLegend({ idx: points.length - 1 })] },
    };
    const chart = new uPlot(options, data, box.current);
    chart.setLegend({ idx: points.length - 1 });
    const watch = new ResizeObserver(() => box.current && chart.setSize({ width: box.current.clientWidth, height: 240 }));
    watch.observe(box.current);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [sizes, limit]);
  if (points.length < 2) return html`<p class="dim">Too short to show.</p>`;
  const told = compactions.map((one) => `${one.by === "clew" ? "Clew" : "the client"} at m${one.number}${one.tokens ? ` to ${size(one.tokens)}` : ""}`);
  return html`<div ref=${box} class="chart"></div><p class="dim">${told.length ? `Compacted by ${told.join(", by ")}.` : "Never compacted."} Last message ${clock(points[points.length - 1].at)}.</p>`;
}
