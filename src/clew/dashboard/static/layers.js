// The timeline of segments, coloured by the size that each is shown at; the chosen one at every size side by side.

import { get, session } from "./api.js";
import { html, Loaded, size, Source, useLoaded, useMemo, useRef, useState } from "./parts.js";

const SIZES = ["header", "summary", "digest", "full"];
const SHOWN = { full: "word for word", curated: "outputs shortened", lines: "lines of it", header: "header" };

export function Layers({ id, turn }) {
  const segments = useLoaded((signal) => get(session(id, "segments"), {}, signal), [id, turn]);
  const pack = useLoaded((signal) => get(session(id, "pack"), {}, signal), [id, turn]);
  const [chosen, setChosen] = useState("");
  return html`<p class="dim">Each block is a segment, as wide as its tokens: what the prompt that would be sent now shows of it.</p>
    <ul class="legend">${Object.entries(SHOWN).map(([name, title]) => html`<li><span class=${`swatch shown-${name}`}></span>${title}</li>`)}</ul>
    <${Loaded} state=${segments}>${({ segments: all }) => html`<${Strip} all=${all} pack=${pack.value} chosen=${chosen} choose=${setChosen} />`}<//>
    ${chosen ? html`<${Sides} id=${id} part=${chosen} />` : html`<p class="dim">Choose a segment.</p>`}`;
}

function Strip({ all, pack, chosen, choose }) {
  const left = useMemo(() => new Map((pack?.left_out || []).map((one) => [one.id, one])), [pack]);
  const total = all.reduce((sum, one) => sum + one.tokens, 0) || 1;
  const box = useRef(null);
  const place = Math.max(all.findIndex((one) => one.id === chosen), 0);
  // One stop for the tab key: arrows go from block to block.
  const keys = (event) => {
    const to = { ArrowRight: place + 1, ArrowLeft: place - 1, PageDown: place + 10, PageUp: place - 10, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const at = Math.min(Math.max(to, 0), all.length - 1);
    choose(all[at].id);
    box.current.children[at].focus();
  };
  return html`<div class="strip" ref=${box} role="toolbar" aria-label="Segments by size" onKeyDown=${keys}>${all.map((one, at) => {
    const why = left.get(one.id);
    const shown = !pack ? "unknown" : why ? why.shown_as : "full";
    return html`<button type="button" tabindex=${at === place ? 0 : -1} aria-pressed=${one.id === chosen ? "true" : "false"} key=${one.id} class=${`block shown-${shown}${one.id === chosen ? " selected" : ""}`} style=${{ flexGrow: Math.max(one.tokens / total, 0.001) }}
      title=${`${one.id}: ${size(one.tokens)} tokens, ${SHOWN[shown] || shown}${why ? `, ${why.reason}` : ""}\n${one.header}`} aria-label=${`${one.id}, ${SHOWN[shown] || shown}`} onClick=${() => choose(one.id)}></button>`;
  })}</div>`;
}

function Sides({ id, part }) {
  const state = useLoaded(
    async (signal) => Promise.all(SIZES.map(async (one) => (await get(session(id, "parts"), { part, size: one }, signal)).items[0])),
    [id, part],
  );
  return html`<h2><${Source} id=${id} part=${part} /></h2><${Loaded} state=${state}>${(items) => html`<div class="sides">${items.map((item, at) => html`<section key=${SIZES[at]}>
    <h3>${SIZES[at]} <span class="dim">${size(item.tokens)} tokens</span></h3><pre class="text">${item.text.slice(0, 20_000) || "(none: nobody said anything in it)"}</pre></section>`)}</div>`}<//>`;
}
