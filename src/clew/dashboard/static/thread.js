// The thread: every segment with its header; the chosen one with its messages, outputs as they were and as they are sent.

import { get, session } from "./api.js";
import { clock, Copy, html, Loaded, Rows, size, Sourced, useEffect, useLoaded, useMemo, useRef, useState } from "./parts.js";

const PAGE = 200;

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
  const start = part[0] === "m" ? Math.floor((Number(part.slice(1)) - segment.first) / PAGE) * PAGE : 0;
  const [offset, setOffset] = useState(start);
  useEffect(() => setOffset(start), [part]);
  const state = useLoaded((signal) => get(session(id, "messages"), { part: segment.id, offset, limit: PAGE }, signal), [id, segment.id, offset, turn]);
  const sent = useLoaded((signal) => get(session(id, "sent"), { part: segment.id }, signal), [id, segment.id, turn]);
  return html`<h2>${segment.id} <span class="dim">${segment.header}</span></h2>
    ${sent.error && html`<p class="error" role="alert">${sent.error}</p>`}
    ${sent.value && html`<${Kept} id=${id} kept=${sent.value.kept.filter((one) => one.source === segment.id)} />`}
    <${Loaded} state=${state}>${({ messages, total }) => html`
      ${messages.map((message) => html`<${Message} key=${message.id} id=${id} message=${message} sent=${sent.value} target=${message.id === part} />`)}
      ${total > PAGE && html`<nav class="pages" aria-label="Messages of the segment">
        <button type="button" disabled=${offset === 0} onClick=${() => setOffset(Math.max(offset - PAGE, 0))}>Earlier</button>
        <span>${offset + 1}–${offset + messages.length} of ${total}</span>
        <button type="button" disabled=${offset + PAGE >= total} onClick=${() => setOffset(offset + PAGE)}>Later</button></nav>`}
    `}<//>`;
}

// What the prompt tells of a message or segment instead of sending it, line by line.
function Kept({ id, kept }) {
  return kept.map((one, at) => html`<div class="kept" key=${at}><span class="chip">kept in ${one.section}</span><pre class="text"><${Sourced} id=${id} text=${one.text} /></pre></div>`);
}

export function Message({ id, message, sent, target }) {
  const box = useRef(null);
  const [whole, setWhole] = useState(null);
  useEffect(() => {
    if (target) box.current.scrollIntoView({ block: "center" });
  }, [target]);
  const kept = (sent?.kept || []).filter((one) => one.source === message.id);
  const fate = !sent ? "" : sent.sent.includes(message.id) ? "sent" : kept.length ? "told in lines" : "not sent";
  const all = () => get(session(id, "messages"), { part: message.id, whole: true }).then((found) => setWhole(found.messages[0]), () => {});
  return html`<article ref=${box} class=${`message ${message.speaker === "tool" ? "tool" : message.role}${target ? " target" : ""}`} aria-label=${`${message.id}, ${message.speaker}`}>
    <header><b>${message.id}</b> ${message.speaker} <span class="dim">${clock(message.at)} ${message.model} ${size(message.tokens)} tokens${message.thread && ` · thread ${message.thread}`}</span> ${fate && html`<span class="chip">${fate}</span>`}</header>
    ${(whole || message).parts.map((part, at) => html`<${MessagePart} key=${at} part=${part} sent=${sent?.outputs[part.call]} all=${all} />`)}
    <${Kept} id=${id} kept=${kept} />
  </article>`;
}

function MessagePart({ part, sent, all }) {
  const more = part.cut ? html`<p class="dim">… ${part.cut} more characters <button type="button" class="small" onClick=${all}>Show all</button></p>` : null;
  if (part.kind === "text") return html`<pre class="text">${part.text}</pre>${more}`;
  if (part.kind === "reasoning") return html`<details><summary>Thinking</summary><pre class="text">${part.text || "(sealed)"}</pre>${more}</details>`;
  if (part.kind === "call") return html`<details><summary>Calls <b>${part.name}</b> <span class="line dim">${part.text.slice(0, 120)}</span></summary><pre class="text">${part.text}</pre>${more}</details>`;
  if (part.kind === "output") return html`<${OutputPart} part=${part} sent=${sent} more=${more} />`;
  return html`<p class="dim">[${part.kind}] ${part.text}</p>`;
}

function OutputPart({ part, sent, more }) {
  const short = sent && sent.text.length < part.text.length + part.cut;
  return html`<details><summary>Output <span class=${`status ${part.status}`}>${part.status}</span> ${sent && html`<span class="chip">${short ? "shortened" : "sent whole"}</span>`} <span class="line dim">${part.text.slice(0, 120)}</span></summary>
    ${short && html`<h3>As it is sent</h3><pre class="text">${sent.text}</pre><h3>As it was</h3>`}<pre class="text">${part.text}</pre>${more}<${Copy} text=${part.text} />
  </details>`;
}
