// Opens the data and shows the view that the address names. Without what it needs, the static page stays.
import { render } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { Data, readOverview, type Overview } from './data';
import { FileView } from './file';
import { ContextsView } from './flame';
import { visible } from './format';
import { FunctionView } from './function';
import { DiffView, FilesView, FunctionsView, InlinedView, LeftOutView, LoopsView, OpcodesView } from './lists';
import { OverviewView } from './overview';
import { go, link, usePlace, type Place } from './router';
import { Search } from './search';
import { DataContext } from './ui';

const KEYS: [string, string][] = [
  ['/', 'search'], ['1 … 9', 'go to a view'], ['j k, arrows', 'move in a table'], ['Enter', 'open the row'],
  ['[ ]', 'next hotter, next cooler function'], ['s g p c l', 'source, graph, paths, calls, loops of a function'],
  ['n N', 'next, previous hot line of a file'], ['+ − 0', 'zoom in a graph'], ['Esc', 'clear the selection'], ['t', 'dark or light'], ['?', 'this help'],
];

// Storage may be forbidden, as it is for files in some browsers.
function stored(): string | null {
  try { return localStorage.getItem('chord-theme'); } catch { return null; }
}
function remember(theme: string): void {
  try { localStorage.setItem('chord-theme', theme); } catch { /* not remembered */ }
}
function setTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
  dispatchEvent(new Event('chord-theme'));
}
const currentTheme = () => document.documentElement.dataset.theme!;
// What the reader chose here before, else what the system says, also when that changes.
function startTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const choose = () => setTheme(stored() === 'dark' || (stored() !== 'light' && dark.matches) ? 'dark' : 'light');
  dark.addEventListener('change', choose);
  choose();
}

// What a view needs besides the overview is unpacked after the overview is on the screen, or at once if the address names another view.
function useIndex(first: boolean): Data | Error | null {
  const [data, set] = useState<Data | Error | null>(null);
  useEffect(() => {
    let wanted = true;
    const load = () => { Data.open().then((d) => wanted && set(d), (e: unknown) => wanted && set(e instanceof Error ? e : new Error(String(e)))); };
    if (!first) load();
    else requestAnimationFrame(() => setTimeout(load));
    return () => { wanted = false; };
  }, []);
  return data;
}

function View({ place, data }: { place: Place; data: Data }) {
  switch (place.view) {
    case 'functions': return <FunctionsView />;
    case 'function': return <FunctionView key={place.argument} place={place} />;
    case 'inlined': return <InlinedView />;
    case 'files': return <FilesView />;
    case 'file': return <FileView key={place.argument} place={place} />;
    case 'loops': return <LoopsView />;
    case 'opcodes': return <OpcodesView />;
    case 'left-out': return <LeftOutView />;
    case 'diff': return <DiffView />;
    case 'contexts': if (data.index.contexts) return <ContextsView contexts={data.index.contexts} />;
  }
  return <div class="page"><h1>No such view</h1><p><a href="#/">Overview</a></p></div>;
}

function App({ overview }: { overview: Overview }) {
  const place = usePlace();
  const data = useIndex(place.view === 'overview');
  const help = useRef<HTMLDialogElement>(null);
  const [theme, setShown] = useState(currentTheme());
  const toggle = () => { const next = currentTheme() === 'dark' ? 'light' : 'dark'; setTheme(next); remember(next); };
  useEffect(() => {
    const changed = () => setShown(currentTheme());
    addEventListener('chord-theme', changed);
    return () => removeEventListener('chord-theme', changed);
  }, []);
  const views: [string, string][] = [['overview', 'Overview'], ['functions', 'Functions'], ['files', 'Files'], ['loops', 'Loops'], ['opcodes', 'Opcodes'], ['left-out', 'Left out']];
  if (overview.inlined) views.splice(4, 0, ['inlined', 'Inlined']);
  if (overview.contexts) views.splice(3, 0, ['contexts', 'Contexts']);
  if (overview.old !== undefined) views.splice(1, 0, ['diff', 'Comparison']);
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      const target = event.target as Element;
      if (event.key === 'k' && (event.ctrlKey || event.metaKey)) { document.getElementById('search')!.focus(); event.preventDefault(); return; }
      if (target.closest('input,textarea,dialog') || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '/') document.getElementById('search')!.focus();
      else if (event.key === '?') help.current!.showModal();
      else if (event.key === 't') toggle();
      else if (/^[1-9]$/.test(event.key) && views[Number(event.key) - 1]) go(link(views[Number(event.key) - 1]![0]));
      else if ((event.key === 'j' || event.key === 'ArrowDown') && (target === document.body || target.closest('header'))) document.querySelector<HTMLElement>('[data-table] tr[tabindex="0"]')?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  });
  useEffect(() => {
    const what = place.view === 'overview' ? '' : (place.argument || place.view) + ' – ';
    document.title = visible(what.slice(0, 120)) + visible(overview.program) + ' – chord';
  }, [place.view, place.argument]);
  return (
    <DataContext.Provider value={data instanceof Data ? data : null}>
      <a class="skip" href="#content" onClick={(e) => { e.preventDefault(); document.getElementById('content')!.focus(); }}>Skip to the content</a>
      <header class="top">
        <a class="brand" href="#/" title={visible(overview.path)}><bdi>{visible(overview.program.slice(0, 60))}</bdi></a>
        <nav aria-label="Views">{views.map(([view, label]) => <a key={view} href={link(view)} aria-current={view === place.view || (view === 'functions' && place.view === 'function') || (view === 'files' && place.view === 'file') ? 'page' : undefined}>{label}</a>)}</nav>
        <Search />
        <button type="button" onClick={toggle} aria-label={theme === 'dark' ? 'use light colours' : 'use dark colours'} title="dark or light (t)">{theme === 'dark' ? '☀' : '☾'}</button>
        <button type="button" onClick={() => help.current!.showModal()} aria-label="keys" title="keys (?)">?</button>
      </header>
      <main id="content" tabIndex={-1}>
        {place.view === 'overview' ? <OverviewView of={overview} /> : data instanceof Error ? <p class="warn">{visible(data.message)}: this file is damaged.</p>
          : data ? <View place={place} data={data} /> : <p class="loading">Unpacking…</p>}
      </main>
      <dialog ref={help} aria-labelledby="keys"><h2 id="keys">Keys</h2><dl class="keys">{KEYS.map(([key, what]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}</dl>
        <p class="dim">Made by chord {overview.chord}. Counts are exact; those that are not known are shown as “?”.</p>
        <form method="dialog"><button>Close</button></form></dialog>
    </DataContext.Provider>
  );
}

function explain(text: string): void {
  const notice = document.getElementById('notice') ?? document.body.appendChild(document.createElement('p'));
  notice.textContent = text;
  notice.hidden = false;
}

function start(): void {
  startTheme();
  if (typeof DecompressionStream === 'undefined') {
    explain('This browser cannot unpack the data in this file (it lacks DecompressionStream), so only the summary below is shown. Any browser since 2023 shows everything.');
    return;
  }
  const app = document.getElementById('app')!;
  render(<App overview={readOverview()} />, app);
  document.getElementById('static')!.remove();
  app.hidden = false;
  document.documentElement.classList.add('live');
  dispatchEvent(new Event('resize'));
  performance.mark('chord-drawn');
  // What follows a frame is after it is on the screen.
  requestAnimationFrame(() => setTimeout(() => performance.mark('chord-open')));
}

function fail(error: unknown): void {
  explain(`The data in this file cannot be shown: ${String(error)}. The summary below is all there is.`);
}

try {
  start();
} catch (error) {
  fail(error);
}
