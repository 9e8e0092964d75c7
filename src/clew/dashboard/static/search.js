// One search over everything said and all registered knowledge, and the list of that knowledge.

import { get } from "./api.js";
import { html, Loaded, Marked, shortId, useEffect, useLoaded, useState } from "./parts.js";

export function Search({ query: given }) {
  const [query, setQuery] = useState(given);
  useEffect(() => setQuery(given), [given]);
  const send = (event) => {
    event.preventDefault();
    location.hash = `#/search/${encodeURIComponent(query)}`;
  };
  return html`<h1>Search</h1>
    <form class="filters" onSubmit=${send} role="search"><label class="wide">Words <input type="search" autofocus value=${query} onInput=${(event) => setQuery(event.target.value)} placeholder='words, or a "phrase"' /></label><button type="submit">Search</button></form>
    ${given && html`<${Results} query=${given} />`}`;
}

function Results({ query }) {
  const state = useLoaded((signal) => get("search", { query }, signal), [query]);
  return html`<${Loaded} state=${state}>${({ hits, missing }) => html`
    ${missing > 0 && html`<p class="dim">By words alone: ${missing} messages have no vectors yet.</p>`}
    ${hits.length === 0 && html`<p class="empty">Nothing says that.</p>`}
    <ol class="results">${hits.map(({ result: one, name, title }) => html`<li key=${`${name}${one.id}`}>
      ${one.session ? html`<a href=${`#/s/${encodeURIComponent(name)}/thread/${one.messages[0] || one.id}`}>${title || shortId(one.session)}</a> <span class="dim">${one.id} · ${one.messages[0]} · ${shortId(one.session)}</span>` : html`<b>${one.id}</b> <span class="dim">${one.kind} ${one.source}</span>`}
      ${one.context && html`<p class="dim">${one.context}</p>`}<p class="hit"><${Marked} text=${one.text} query=${query} /></p></li>`)}</ol>`}<//>`;
}

export function Knowledge() {
  const state = useLoaded((signal) => get("knowledge", {}, signal), []);
  return html`<h1>Knowledge</h1><${Loaded} state=${state}>${({ modules }) => modules.length
    ? html`<div class="scroll-x"><table><thead><tr><th scope="col">Module</th><th scope="col">Category</th><th scope="col">Version</th><th scope="col">Used</th></tr></thead>
      <tbody>${modules.map((one) => html`<tr key=${one.id}><th scope="row">${one.name || one.id}<div class="dim">${one.description}</div></th><td>${one.category}</td><td>${one.version}</td><td>${one.usage_scope}</td></tr>`)}</tbody></table></div>`
    : html`<p class="empty">No knowledge is registered. At the terminal: <code>clew knowledge add docs/</code></p>`}<//>`;
}
