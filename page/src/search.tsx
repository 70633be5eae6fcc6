// Finds functions and files by parts of their names.
import { useContext, useMemo, useRef, useState } from 'preact/hooks';
import { shortName, short, visible } from './format';
import { go, link } from './router';
import { DataContext } from './ui';

interface Hit { text: string; detail: string; to: string }

export function useSearch(query: string, most: number): Hit[] {
  const data = useContext(DataContext);
  return useMemo(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0 || !data) return [];
    const fits = (text: string) => { const low = text.toLowerCase(); return words.every((w) => low.includes(w)); };
    const hits: Hit[] = [];
    const { functions, files } = data.index;
    for (let f = 0; f < functions.name.length && hits.length < most; ++f) {
      if (!fits(data.title(f)) && !fits(functions.name[f]!)) continue;
      hits.push({ text: data.title(f), detail: short(functions.executed[f]), to: link('function', data.keyOf(f)) });
    }
    for (let f = 0; f < files.name.length && hits.length < most + 8; ++f) {
      if (files.lines[f]! > 0 && fits(files.path[f]!)) hits.push({ text: files.shown[f]!, detail: 'file', to: link('file', files.path[f]!) });
    }
    return hits;
  }, [query, data]);
}

export function Search() {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const hits = useSearch(query, 24);
  const choose = (i: number) => {
    const hit = hits[i];
    if (!hit) return;
    go(hit.to);
    setOpen(false);
    setQuery('');
    input.current?.blur();
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt((i) => Math.min(hits.length - 1, i + 1));
    else if (event.key === 'ArrowUp') setAt((i) => Math.max(0, i - 1));
    else if (event.key === 'Enter') choose(at);
    else if (event.key === 'Escape') { setOpen(false); input.current?.blur(); }
    else return;
    event.preventDefault();
  };
  const shown = open && query.trim() !== '';
  return (
    <div class="search">
      <input ref={input} id="search" type="search" placeholder="Search functions and files  ( / )" aria-label="Search functions and files"
        role="combobox" aria-expanded={shown} aria-controls="hits" aria-autocomplete="list" spellcheck={false} autocomplete="off"
        aria-activedescendant={shown && hits[at] ? `hit${at}` : undefined} value={query} onKeyDown={key}
        onInput={(e) => { setQuery(e.currentTarget.value); setAt(0); setOpen(true); }} onFocus={() => setOpen(true)}
        onBlur={() => setTimeout(() => setOpen(false), 150)} />
      <ul id="hits" role="listbox" aria-label="Found" hidden={!shown}>
        {shown && hits.map((hit, i) => (
          <li key={hit.to} id={`hit${i}`} role="option" aria-selected={i === at} onMouseDown={() => choose(i)} title={visible(hit.text.slice(0, 500))}>
            <bdi>{shortName(hit.text, 80)}</bdi><span class="dim">{hit.detail}</span>
          </li>))}
        {shown && hits.length === 0 && <li role="option" aria-selected="false" class="dim">nothing found</li>}
      </ul>
    </div>
  );
}
