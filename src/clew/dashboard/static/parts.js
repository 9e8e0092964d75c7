// Pieces that several views use: figures, loading, rows that scroll, copying.

import { html, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/htm-preact-3.1.1.js";

export { html, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState };

export function size(tokens) {
  if (tokens === null || tokens === undefined) return "–";
  if (Math.abs(tokens) < 1000) return String(tokens);
  if (Math.abs(tokens) >= 1_000_000) return `${(tokens / 1_000_000).toFixed(1)}M`;
  return tokens < 100_000 ? `${(tokens / 1000).toFixed(1)}k` : `${Math.round(tokens / 1000)}k`;
}

export function dollars(amount) {
  if (amount === null || amount === undefined) return "–";
  return amount && Math.abs(amount) < 0.01 ? `$${amount.toFixed(4)}` : `$${amount.toFixed(2)}`;
}

export function percent(share) {
  return `${Math.round(share * 100)} %`;
}

export function when(seconds) {
  if (!seconds) return "";
  const ago = Date.now() / 1000 - seconds;
  if (ago < 60) return "just now";
  if (ago < 3600) return `${Math.floor(ago / 60)} min ago`;
  if (ago < 86_400) return `${Math.floor(ago / 3600)} h ago`;
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

// How long ago, for what may be old: rules, decisions.
export function age(seconds) {
  const days = Math.floor((Date.now() / 1000 - seconds) / 86_400);
  if (!seconds || days < 1) return when(seconds);
  if (days < 60) return days === 1 ? "1 day" : `${days} days`;
  return days < 730 ? `${Math.floor(days / 30.4)} months` : `${Math.floor(days / 365)} years`;
}

// The beginning of an id that is long and means nothing to people.
export function shortId(id) {
  return /^[0-9a-f]{8}-[0-9a-f-]{20,}$/.test(id) ? `${id.slice(0, 8)}…` : id;
}

export function clock(seconds) {
  return seconds ? new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ") : "";
}

// Loads a value whenever its keys change. Only the answer to the newest question is shown.
export function useLoaded(load, keys) {
  const [state, setState] = useState({ loading: true });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setState((old) => ({ ...old, loading: true }));
    load(abort.signal).then(
      (value) => !abort.signal.aborted && setState({ value, loading: false }),
      (error) => !abort.signal.aborted && setState((old) => ({ ...old, error: error.message, status: error.status, loading: false })),
    );
    return () => abort.abort();
  }, [...keys, turn]);
  return { ...state, reload: useCallback(() => setTurn((old) => old + 1), []) };
}

export function Loaded({ state, children }) {
  if (state.value === undefined && state.error) return html`<p class="error" role="alert">${state.error}</p>`;
  if (state.value === undefined) return html`<p class="loading" role="status">Loading…</p>`;
  return html`<div class=${state.loading ? "busy" : ""} aria-busy=${state.loading ? "true" : "false"}>
    ${state.error && html`<p class="error" role="alert">${state.error}</p>`} ${children(state.value)}
  </div>`;
}

// Rows of one height, of which only those in sight are in the document.
export function Rows({ items, height, row, label, selected = -1, onSelect }) {
  const box = useRef(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      watch.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  useEffect(() => {
    const element = box.current;
    if (selected < 0 || !element) return;
    const top = selected * height;
    if (top < element.scrollTop || top + height > element.scrollTop + element.clientHeight)
      element.scrollTop = Math.max(top - element.clientHeight / 2, 0);
  }, [selected]);
  const first = Math.max(Math.floor(view.top / height) - 10, 0);
  const last = Math.min(Math.ceil((view.top + view.height) / height) + 10, items.length);
  const keys = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -items.length, End: items.length }[event.key];
    if (step === undefined || !onSelect) return;
    event.preventDefault();
    onSelect(Math.min(Math.max(selected + step, 0), items.length - 1));
  };
  return html`<div class="rows" ref=${box} role="listbox" aria-label=${label} tabindex="0" onKeyDown=${keys}>
    <div class="rows-inner" style=${{ height: `${items.length * height}px` }}>
      ${items.slice(first, last).map(
        (item, at) => html`<div
          key=${first + at}
          class=${`rows-row${first + at === selected ? " selected" : ""}`}
          role="option"
          aria-selected=${first + at === selected ? "true" : "false"}
          aria-setsize=${items.length}
          aria-posinset=${first + at + 1}
          style=${{ top: `${(first + at) * height}px`, height: `${height}px` }}
          onClick=${() => onSelect && onSelect(first + at)}
        >${row(item, first + at)}</div>`,
      )}
    </div>
  </div>`;
}

export function Copy({ text, label = "Copy" }) {
  const [done, setDone] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone("Copied");
    } catch {
      setDone("Not allowed here");
    }
    setTimeout(() => setDone(""), 2000);
  };
  return html`<button type="button" class="small" onClick=${copy}>${done || label}</button>`;
}

export function Level({ level }) {
  return html`<span class=${`level ${level}`}>${level}</span>`;
}

export function Meter({ share, label }) {
  const level = share >= 0.9 ? "critical" : share >= 0.7 ? "warning" : "good";
  const full = Math.min(Math.max(share, 0), 1);
  return html`<span class="meter" role="img" aria-label=${`${label || "in use"}: ${percent(share)}`}>
    <span class=${`meter-full ${level}`} style=${{ width: `${full * 100}%` }}></span>
  </span>`;
}

// Text with the words of a query marked. It is always text: nothing in it is ever read as markup.
export function Marked({ text, query }) {
  const words = (query.match(/[\p{L}\p{N}_]{2,}/gu) || []).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!words.length) return html`<span>${text}</span>`;
  const pieces = text.split(new RegExp(`(${words.join("|")})`, "giu"));
  return html`<span>${pieces.map((piece, at) => (at % 2 ? html`<mark>${piece}</mark>` : piece))}</span>`;
}

// Ids of messages and segments in a text become links to them.
export function Sourced({ text, id }) {
  const pieces = text.split(/\b(m\d+|x\d+(?:\.\d+)?)\b/);
  return html`<span>${pieces.map((piece, at) => (at % 2 ? html`<${Source} id=${id} part=${piece} />` : piece))}</span>`;
}

export function Source({ id, part }) {
  return html`<a class="source" href=${`#/s/${encodeURIComponent(id)}/thread/${part}`}>${part}</a>`;
}

// The lines of two texts, as one list: kept, gone, or new. Long texts are compared by line, from both ends inwards.
export function lineChanges(before, after) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old[old.length - 1 - tail] === now[now.length - 1 - tail])
    tail += 1;
  const [left, right] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  const out = old.slice(0, head).map((line) => [" ", line]);
  const places = new Map();
  right.forEach((line, at) => (places.get(line) || places.set(line, []).get(line)).push(at));
  let at = 0;
  for (const line of left) {
    const place = (places.get(line) || []).find((one) => one >= at);
    if (place === undefined) out.push(["-", line]);
    else {
      while (at < place) out.push(["+", right[at++]]);
      out.push([" ", line]);
      at += 1;
    }
  }
  while (at < right.length) out.push(["+", right[at++]]);
  return [...out, ...old.slice(old.length - tail).map((line) => [" ", line])];
}

// Changed lines with a few around them; what is equal in between is counted.
export function Changes({ before, after }) {
  const shown = useMemo(() => {
    const all = lineChanges(before, after);
    const near = all.map((_, at) => all.slice(Math.max(at - 2, 0), at + 3).some(([mark]) => mark !== " "));
    const out = [];
    for (let at = 0; at < all.length; at += 1) {
      if (near[at]) out.push(all[at]);
      else if (out.length && out[out.length - 1][0] === "…") out[out.length - 1][1] += 1;
      else out.push(["…", 1]);
    }
    return out.slice(0, 2000);
  }, [before, after]);
  const kind = { "+": "added", "-": "removed", "…": "equal", " ": "" };
  return html`<pre class="changes">${shown.map(
    ([mark, line]) => html`<div class=${kind[mark]}>${mark === "…" ? `… ${line} equal lines` : `${mark} ${line}`}</div>`,
  )}</pre>`;
}
