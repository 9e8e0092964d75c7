// The thread: every segment with its header; the chosen one with its messages, outputs as they were and as they are sent.

import { get, session } from "./api.js";
import { clock, Copy, html, Loaded, Rows, size, useLoaded, useMemo, useState } from "./parts.js";

export function Thread({ id, part, turn }) {
  const state = useLoaded((signal) => get(session(id, "segments"), {}, signal), [id, turn]);
  return html`<${Loaded} state=${state}>${({ segments }) => html`<${Exchanges} id=${id} segments=${segments} part=${part} turn=${turn} />`}<//>`;
}

function placeOf(segments, part) {
  if (!part) return segments.length - 1;
  if (part[0] === "m") {
    const number = Number(part.slice(1));
    return segments.findIndex((one) => one.first <= number && number <= one.last);
  }
  return segments.findIndex((one) => one.id === part || one.id.startsWith(`${part}.`));
}

function Exchanges({ id, segments, part, turn }) {
  const [words, setWords] = useState("");
  const shown = useMemo(() => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    return segments.filter((one) => wanted.every((word) => `${one.id} ${one.header} ${one.words}`.toLowerCase().includes(word)));
  }, [segments, words]);
  const selected = placeOf(shown, part);
  const choose = (at) => { if (shown[at]) location.replace(`#/s/${encodeURIComponent(id)}/thread/${shown[at].id}`); };
  const row = (one) => html`<div class=${`segment${one.rolled_back ? " gone" : ""}`}>
    <b>${one.id}</b> <span class="dim">m${one.first}–m${one.last} · ${size(one.tokens)}</span><div class="line">${one.header || one.words}</div></div>`;
  return html`<div class="split">
    <div class="side">
      <input type="search" value=${words} onInput=${(event) => setWords(event.target.value)} placeholder=${`${segments.length} segments`} aria-label="Filter segments" />
      <${Rows} items=${shown} height=${52} row=${row} label="Segments" selected=${selected} onSelect=${choose} />
    </div>
    <div class="detail">${selected >= 0 ? html`<${Segment} key=${shown[selected].id} id=${id} segment=${shown[selected]} part=${part} turn=${turn} />` : html`<p class="dim">Nothing like that.</p>`}</div>
  </div>`;
}

function Segment({ id, segment, part, turn }) {
  const state = useLoaded((signal) => get(session(id, "messages"), { part: segment.id }, signal), [id, segment.id, turn]);
  const sent = useLoaded((signal) => get(session(id, "sent"), { part: segment.id }, signal), [id, segment.id, turn]);
  return html`<h2>${segment.id} <span class="dim">${segment.header}</span></h2>
    <${Kept} kept=${sent.value?.kept} />
    <${Loaded} state=${state}>${({ messages, total }) => html`
      ${messages.map((message) => html`<${Message} key=${message.id} message=${message} sent=${sent.value?.outputs} target=${message.id === part} />`)}
      ${total > messages.length && html`<p class="dim">${total - messages.length} more messages: open them by their id.</p>`}
    `}<//>`;
}

function Kept({ kept }) {
  if (!kept) return null;
  const sections = Map.groupBy ? [...Map.groupBy(kept, (one) => one.section)] : group(kept);
  if (!sections.length) return html`<p class="dim">The prompt says nothing of this but its header.</p>`;
  return html`<p class="kept">In the prompt now: ${sections.map(([name, lines]) => html`<span class="chip">${name} ${[...new Set(lines.map((one) => one.source))].slice(0, 8).join(" ")}</span>`)}</p>`;
}

function group(kept) {
  const found = new Map();
  for (const one of kept) (found.get(one.section) || found.set(one.section, []).get(one.section)).push(one);
  return [...found];
}

export function Message({ message, sent, target }) {
  return html`<article class=${`message ${message.role}${target ? " target" : ""}`} id=${message.id}>
    <header><b>${message.id}</b> ${message.speaker} <span class="dim">${clock(message.at)} ${message.model} ${size(message.tokens)} tokens${message.thread && ` · thread ${message.thread}`}</span></header>
    ${message.parts.map((part, at) => html`<${MessagePart} key=${at} part=${part} sent=${sent?.[part.call]} />`)}
  </article>`;
}

function MessagePart({ part, sent }) {
  const more = part.cut ? html`<p class="dim">… ${part.cut} more characters</p>` : null;
  if (part.kind === "text") return html`<pre class="text">${part.text}</pre>${more}`;
  if (part.kind === "reasoning") return html`<details><summary>Thinking</summary><pre class="text">${part.text || "(sealed)"}</pre>${more}</details>`;
  if (part.kind === "call") return html`<details><summary>Calls <b>${part.name}</b> <span class="line dim">${part.text.slice(0, 120)}</span></summary><pre class="text">${part.text}</pre>${more}</details>`;
  if (part.kind === "output") return html`<${OutputPart} part=${part} sent=${sent} more=${more} />`;
  return html`<p class="dim">[${part.kind}] ${part.text}</p>`;
}

function OutputPart({ part, sent, more }) {
  const short = sent && sent.text.length < part.text.length + part.cut;
  const fate = !sent ? "not sent word for word" : short ? "shortened" : "sent whole";
  return html`<details><summary>Output <span class=${`status ${part.status}`}>${part.status}</span> <span class="chip">${fate}</span> <span class="line dim">${part.text.slice(0, 120)}</span></summary>
    ${short && html`<h3>As it is sent</h3><pre class="text">${sent.text}</pre><h3>As it was</h3>`}<pre class="text">${part.text}</pre>${more}<${Copy} text=${part.text} />
  </details>`;
}
