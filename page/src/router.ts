// Where the reader is: #/view/argument/tab?key=value. Every view can be linked to.
import { useLayoutEffect, useState } from 'preact/hooks';

export interface Place { view: string; argument: string; tab: string; query: URLSearchParams }

export function parse(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', argument = '', tab = ''] = path.split('/').map(safeDecode);
  return { view: view || 'overview', argument, tab, query: new URLSearchParams(query) };
}

// A link that was cut in the middle of an escape still leads somewhere.
function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Half a pair of surrogates cannot be part of an address.
function safeEncode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

export function link(view: string, argument = '', tab = '', query: Record<string, string | number | undefined> = {}): string {
  let path = '#/' + (view === 'overview' ? '' : view);
  if (argument) path += '/' + safeEncode(argument);
  if (tab) path += '/' + tab;
  const q = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) q.set(key, String(value));
  const s = q.toString();
  return s ? `${path}?${s}` : path;
}

export function go(to: string): void {
  location.hash = to;
}

// Changes the query without a step in the history: selections, not places.
export function setQuery(values: Record<string, string | number | undefined>): void {
  const place = parse(location.hash);
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) place.query.delete(key);
    else place.query.set(key, String(value));
  }
  const to = link(place.view, place.argument, place.tab, Object.fromEntries(place.query));
  history.replaceState(null, '', to);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useLayoutEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return parse(hash);
}
