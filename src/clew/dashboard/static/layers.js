// The timeline of segments, coloured by the size that each is shown at; the chosen one at every size side by side.

import { get, session } from "./api.js";
import { html, Loaded, size, useLoaded, useMemo, useState } from "./parts.js";

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
  return html`<div class="strip" role="group" aria-label="Segments by size">${all.map((one) => {
    const why = left.get(one.id);
    const shown = !pack ? "unknown" : why ? why.shown_as : "full";
    return html`<button type="button" key=${one.id} class=${`block shown-${shown}${one.id === chosen ? " selected" : ""}`} style=${{ flexGrow: Math.max(one.tokens / total, 0.001) }}
      title=${`${one.id}: ${size(one.tokens)} tokens, ${SHOWN[shown] || shown}${why ? `, ${why.reason}` : ""}\n${one.header}`} aria-label=${`${one.id}, ${SHOWN[shown] || shown}`} onClick=${() => choose(one.id)}></button>`;
  })}</div>`;
}

function Sides({ id, part }) {
  const state = useLoaded(
    async (signal) => Promise.all(SIZES.map(async (one) => (await get(session(id, "parts"), { part, size: one }, signal)).items[0])),
    [id, part],
  );
  return html`<${Loaded} state=${state}>${(items) => html`<div class="sides">${items.map((item, at) => html`<section key=${SIZES[at]}>
    <h2>${SIZES[at]} <span class="dim">${size(item.tokens)}</span></h2><pre class="text">${item.text.slice(0, 20_000) || "(nothing)"}</pre></section>`)}</div>`}<//>`;
}
