// One function: its source beside its assembly, its graph, its paths, who calls it, its loops.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { BLOCK_KINDS, EDGE_KINDS, inlinedCalls, type Code, type Count, type Data, type Path } from './data';
import { calledName, change, count, counted, familiarName, num, percent, short, visible } from './format';
import { Graph } from './graph';
import { heat } from './heat';
import { highlightAsm, highlightC, isC } from './highlight';
import { Lines, LINE, Words, type Scroll } from './lines';
import { lineKey, listing, type Listing } from './listing';
import { LoopTable } from './lists';
import { go, link, setQuery, type Place } from './router';
import { Bar, FunctionName, Panel, Share, Table, useData, useLoaded, type Column } from './ui';

// What is selected, as the link says it: a line of a file, a block, an edge, a path.
export interface Selection { line?: string; block?: number; edge?: number; path?: number }

function selectionOf(place: Place): Selection {
  const number = (key: string) => (place.query.has(key) ? Number(place.query.get(key)) : undefined);
  return { line: place.query.get('line') ?? undefined, block: number('block'), edge: number('edge'), path: number('path') };
}

export function select(s: Selection): void {
  setQuery({ line: s.line, block: s.block, edge: s.edge, path: s.path });
}

export function pathTitle(path: Path): string {
  return path.partial !== undefined ? 'partial' : `#${count(path.number)}`;
}

function SourcePane({ code, list, selection, hover, setHover, path }: {
  code: Code; list: Listing; selection: Selection; hover: string; setHover: (key: string) => void; path?: Path;
}) {
  const { index } = useData();
  const wanted = selection.line ?? (selection.block !== undefined ? blockLine(code, selection.block) : undefined);
  const onPath = useMemo(() => (path ? visits(code, list, path) : []), [code, list, path]);
  // At first where the function itself begins: what was inlined into it may stand far above.
  const fresh = useRef(true);
  useEffect(() => { fresh.current = false; }, []);
  const home = code.line.findIndex((line) => line !== 0);
  const shown = wanted ?? (fresh.current && home >= 0 ? lineKey(code.file[home]!, code.line[home]!) : undefined);
  const scroll: Scroll = path && onPath.length ? { to: Math.min(...onPath), nonce: path } : { to: shown ? list.at.get(shown) ?? -1 : -1, nonce: wanted };
  const rail = path && <Rail rows={onPath} total={list.rows.length} />;
  const on = new Set(onPath);
  const data = useData();
  const row = (i: number) => {
    const r = list.rows[i]!;
    const inlined = r.inlined && [...r.inlined].sort((a, b) => b[1] - a[1]);
    if (r.kind === 'file') {
      return <div key={i} class="line head"><a href={link('file', index.files.path[r.file]!)} title={visible(index.files.path[r.file]!)}><bdi>{visible(index.files.shown[r.file]!)}</bdi></a></div>;
    }
    if (r.kind === 'gap') return <div key={i} class="line gap">⋯ {count(r.last! - r.line + 1)} lines without code of this function</div>;
    const key = lineKey(r.file, r.line);
    const mark = (key === wanted ? ' selected' : '') + (key === hover ? ' hover' : '') + (on.has(i) ? ' on-path' : '') + ((r.here ?? r.called) === undefined ? (r.count === 0 ? ' never' : '') : (r.here ?? 0) + (r.called ?? 0) === 0 ? ' never' : ' ran');
    return (
      <div key={i} class={'line' + mark} data-line={key} onMouseEnter={() => setHover(key)} onMouseLeave={() => setHover('')}
        onClick={() => select(key === selection.line ? {} : { line: key, path: selection.path })}>
        <span class="n count" title="arrivals at this line, over the whole program">{r.count === undefined ? '' : r.count === 0 ? 'never' : count(r.count)}</span>
        {!r.here && r.called ? <span class="n cell inlined" title="instructions executed of what was inlined here">↳ {short(r.called)}</span>
          : <span class={'n cell ' + (r.here === undefined ? '' : heat(r.here, list.mostHere))} title="instructions executed here, in this function">{r.here === undefined ? '' : short(r.here)}</span>}
        {code.oldCount && <span class="n delta">{r.here === undefined || r.before === undefined ? '' : deltaOf(r.before, r.here)}</span>}
        <span class="no">{r.line}</span>
        <code>{r.text === undefined ? <span class="dim">(source not at hand)</span> : isC(index.files.name[r.file]!) ? <Words words={highlightC(r.text, !!r.inComment)} /> : visible(r.text)}</code>
        {inlined && <InlinedHere functions={inlined} data={data} />}
      </div>
    );
  };
  return <Lines label="Source" columns={[['n count', 'arrivals', 'arrivals at the line, over the whole program'], ['n', 'executed', 'instructions executed of the line, in this function'], ...(code.oldCount ? [['n delta', 'change'] as [string, string]] : []), ['no', 'line'], ['', 'source']]} total={list.rows.length} row={row} scroll={scroll} rail={rail} />;
}

// What was inlined at a line, after its text: what executed most by name, the others in its title.
function InlinedHere({ functions, data }: { functions: [number, number][]; data: Data }) {
  const what = ([row, n]: [number, number]) => `${visible(data.inlinedTitle(row).slice(0, 300))}: ${count(n)}`;
  const [first, ...others] = functions;
  return <span class="inlined" title={'inlined here, with the instructions executed:\n' + functions.slice(0, 20).map(what).join('\n')}>
    ↳ <bdi>{calledName(data.inlinedTitle(first![0]))}</bdi> {short(first![1])}{others.length > 0 && ` +${others.length}`}</span>;
}

function deltaOf(before: Count, now: Count): string {
  const text = change(before, now);
  return text === '=' ? '' : text.length > 9 ? text[0] + short(Math.abs(num(now) - num(before))) : text;
}

function blockLine(code: Code, block: number): string | undefined {
  for (let i = code.blockFirst[block] ?? 0, end = i + (code.blockLength[block] ?? 0); i < end; ++i) {
    if (code.line[i] !== 0) return lineKey(code.file[i]!, code.line[i]!);
  }
  return undefined;
}

// Instructions of a path in order.
export function instructionsOf(code: Code, path: Path): number[] {
  const all: number[] = [];
  path.blocks.forEach((b, at) => {
    let end = code.blockFirst[b]! + code.blockLength[b]!;
    if (path.partial !== undefined && at === path.blocks.length - 1) end = path.partial + (path.executed ? 1 : 0);
    for (let i = code.blockFirst[b]!; i < end; ++i) all.push(i);
  });
  return all;
}

// Rows of the listing that a path runs through, in order, each visit once.
function visits(code: Code, list: Listing, path: Path): number[] {
  const rows: number[] = [];
  for (const i of instructionsOf(code, path)) {
    if (code.line[i] === 0) continue;
    const row = list.at.get(lineKey(code.file[i]!, code.line[i]!));
    if (row !== undefined && rows[rows.length - 1] !== row) rows.push(row);
  }
  return rows;
}

// A path drawn through the source: straight from line to next line, in an arc where control jumps.
function Rail({ rows, total }: { rows: number[]; total: number }) {
  const x = 34;
  const y = (row: number) => row * LINE + LINE / 2;
  let d = rows.length ? `M${x},${y(rows[0]!)}` : '';
  for (let i = 1; i < rows.length; ++i) {
    const a = rows[i - 1]!, b = rows[i]!;
    const bulge = Math.min(28, 6 + 3 * Math.sqrt(Math.abs(b - a)));
    d += b === a + 1 ? `L${x},${y(b)}` : `C${x - bulge},${y(a)} ${x - bulge},${y(b)} ${x},${y(b)}`;
  }
  return (
    <svg class="rail" width="44" height={total * LINE} aria-hidden="true">
      <path d={d} />
      {[...new Set(rows)].map((row) => <circle key={row} cx={x} cy={y(row)} r={row === rows[0] || row === rows[rows.length - 1] ? 4.5 : 2.5} />)}
    </svg>
  );
}

// Rows of the assembly: instructions, and a heading for each block and fragment.
function asmRows(code: Code): { at: number; head?: string }[] {
  const rows: { at: number; head?: string }[] = [];
  for (let i = 0; i < code.offset.length; ++i) {
    if (i === 0 || code.fragment[i] !== code.fragment[i - 1]) rows.push({ at: i, head: 'fragment' });
    const b = code.block[i]!;
    if (b >= 0 && code.blockFirst[b] === i) rows.push({ at: i, head: 'block' });
    rows.push({ at: i });
  }
  return rows;
}

function AsmPane({ code, selection, hover, setHover, path }: {
  code: Code; selection: Selection; hover: string; setHover: (key: string) => void; path?: Path;
}) {
  const data = useData();
  const rows = useMemo(() => asmRows(code), [code]);
  const most = useMemo(() => code.count.reduce<number>((m, c) => Math.max(m, num(c)), 1), [code]);
  const on = useMemo(() => new Set(path ? instructionsOf(code, path) : []), [code, path]);
  const key = (i: number) => (code.line[i] ? lineKey(code.file[i]!, code.line[i]!) : '');
  // Of the line itself, or inlined there.
  const belongs = (i: number, line: string) => key(i) === line || inlinedCalls(code, i).some((call) => lineKey(code.inlined!.site[call]!, code.inlined!.line[call]!) === line);
  const target = useMemo(() => rows.findIndex((r) => (selection.block !== undefined ? r.head === 'block' && code.block[r.at] === selection.block : !r.head && selection.line !== undefined && belongs(r.at, selection.line))), [rows, selection.line, selection.block]);
  const first = path ? rows.findIndex((r) => !r.head && on.has(r.at)) : target;
  const row = (n: number) => {
    const { at: i, head } = rows[n]!;
    if (head === 'fragment') return <div key={n} class="line head"><bdi>{visible(code.fragments[code.fragment[i]!]!.slice(0, 300))}</bdi></div>;
    if (head) {
      const b = code.block[i]!;
      return <div key={n} class={'line block' + (b === selection.block ? ' selected' : '')} onClick={() => select({ block: b, path: selection.path })}>block {b}<span class="dim"> {count(code.blockCount[b])}×</span></div>;
    }
    const mark = (selection.line !== undefined && belongs(i, selection.line) ? ' selected' : '') + (hover && belongs(i, hover) ? ' hover' : '') + (on.has(i) ? ' on-path' : '') + (code.count[i] === 0 ? ' never' : '');
    return (
      <div key={n} class={'line asm' + mark} onMouseEnter={() => setHover(key(i))} onMouseLeave={() => setHover('')} onClick={() => key(i) && select({ line: key(i), path: selection.path })}>
        <span class={'n cell ' + heat(code.count[i], most)}>{code.count[i] === 0 ? 'never' : count(code.count[i])}</span>
        {code.oldCount && <span class="n delta">{deltaOf(code.oldCount[i]!, code.count[i]!)}</span>}
        <span class="no">{code.offset[i]!.toString(16)}</span>
        <code><Words words={highlightAsm(code.text[i]!)} /></code><Callee text={code.text[i]!} data={data} />
        {code.inline[i]! >= 0 && (n === 0 || rows[n - 1]!.head !== undefined || code.inline[i - 1] !== code.inline[i]) && <InlinedFrom code={code} at={i} data={data} />}
      </div>
    );
  };
  return <Lines label="Assembly" columns={[['n wide-n', 'executed'], ...(code.oldCount ? [['n delta', 'change'] as [string, string]] : []), ['no', 'offset'], ['', 'instruction']]} total={rows.length} row={row} scroll={{ to: first, nonce: path ?? selection.line ?? selection.block }} />;
}

// Where code begins that was inlined: from which function, and in its title through which calls.
function InlinedFrom({ code, at, data }: { code: Code; at: number; data: Data }) {
  const calls = inlinedCalls(code, at);
  const { site, line, function: row } = code.inlined!;
  const where = (call: number) => (line[call] ? `, inlined at ${visible(data.index.files.shown[site[call]!]!)}:${line[call]}` : ', inlined');
  return <span class="inlined" title={calls.map((call) => visible(data.inlinedTitle(row[call]!).slice(0, 300)) + where(call)).join('\n')}><bdi>{calledName(data.inlinedTitle(row[calls[0]!]!))}</bdi></span>;
}

function Callee({ text, data }: { text: string; data: ReturnType<typeof useData> }) {
  const symbol = /^\s*(?:call|jmp)q?\s+([^\s*%(]+)$/.exec(text)?.[1]?.replace(/@PLT$/, '');
  const f = symbol ? data.findKey(symbol) : -1;
  return f >= 0 ? <a class="goto" href={link('function', data.keyOf(f))} aria-label={`go to ${visible(symbol!.slice(0, 100))}`} title="go there" tabIndex={-1}>→</a> : null;
}

// Paths through what is selected, or all.
function pathsThrough(code: Code, s: Selection): number[] {
  const paths = code.paths ?? [];
  return paths.map((_, i) => i).filter((i) => {
    const path = paths[i]!;
    if (s.edge !== undefined) return path.edges.includes(s.edge);
    if (s.block !== undefined) return path.blocks.includes(s.block);
    if (s.line !== undefined) return instructionsOf(code, path).some((k) => lineKey(code.file[k]!, code.line[k]!) === s.line || inlinedCalls(code, k).some((call) => lineKey(code.inlined!.site[call]!, code.inlined!.line[call]!) === s.line));
    return true;
  });
}

function describe(code: Code, s: Selection, data: ReturnType<typeof useData>): string {
  if (s.edge !== undefined && code.edgeFrom[s.edge] !== undefined) {
    const name = (b: number) => (code.blockKind[b] === 2 ? `block ${b}` : BLOCK_KINDS[code.blockKind[b]!]!);
    return `edge ${name(code.edgeFrom[s.edge]!)} → ${name(code.edgeTo[s.edge]!)} (${EDGE_KINDS[code.edgeKind[s.edge]!]}), taken ${count(code.edgeCount[s.edge])} times`;
  }
  if (s.block !== undefined) return `block ${s.block}, executed ${count(code.blockCount[s.block])} times`;
  if (s.line !== undefined) {
    const [file, line] = s.line.split(':').map(Number);
    return `line ${line} of ${visible((data.index.files.name[file!] ?? '').split('/').pop()!)}`;
  }
  return 'the whole function';
}

export function PathPanel({ code, selection }: { code: Code; selection: Selection }) {
  const data = useData();
  const what = describe(code, selection, data);
  const chosen = useMemo(() => pathsThrough(code, selection), [code, selection.edge, selection.block, selection.line]);
  const clear = <button type="button" class="quiet" onClick={() => select({})}>clear</button>;
  if (!code.paths) {
    return <Panel title="Paths" class="side" more={clear}><p class="say">{what}</p><p class="say dim">{code.noPaths ? `Its paths were not counted: ${visible(code.noPaths)}` : 'Built without --paths: how often each path ran was not counted.'}</p></Panel>;
  }
  const all = code.paths.reduce((sum, p) => sum + num(p.count) * p.length, 0);
  return (
    <Panel title="Paths through" class="side" more={clear}>
      <p class="say">{what}: {count(chosen.length)} of {count(code.pathsRan)} paths that ran{code.paths.length < code.pathsRan! ? ` (the ${count(code.paths.length)} hottest are listed)` : ''}</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Paths through the selection"><table class="plain"><thead><tr><th scope="col">count</th><th scope="col">instrs</th><th scope="col" class="left">share</th><th scope="col" class="left wide">path</th></tr></thead>
        <tbody>{chosen.slice(0, 100).map((i) => {
          const p = code.paths![i]!;
          return <tr key={i} class={i === selection.path ? 'selected' : ''}><td>{count(p.count)}</td><td>{count(p.length)}</td>
            <td class="left"><Share part={num(p.count) * p.length} whole={all} /></td>
            <td class="left"><button type="button" class="quiet" aria-pressed={i === selection.path} onClick={() => select({ ...selection, path: i === selection.path ? undefined : i })}>{pathTitle(p)} {p.start} → {p.end}</button></td></tr>;
        })}</tbody></table></div>
    </Panel>
  );
}

function SourceTab({ code, list, selection }: { code: Code; list: Listing | null; selection: Selection }) {
  const [hover, setHover] = useState('');
  const path = selection.path !== undefined ? code.paths?.[selection.path] : undefined;
  const side = selection.line !== undefined || selection.block !== undefined || selection.path !== undefined;
  return (
    <div class={'panes' + (side ? ' three' : '')}>
      {list ? list.rows.length ? <SourcePane {...{ code, list, selection, hover, setHover, path }} /> : <p class="empty">No line information: compile with -g to see the source.</p> : <p class="empty">…</p>}
      <AsmPane {...{ code, selection, hover, setHover, path }} />
      {side && <PathPanel code={code} selection={selection} />}
    </div>
  );
}

function PathsTab({ code, list, selection }: { code: Code; list: Listing | null; selection: Selection }) {
  const [hover, setHover] = useState('');
  const paths = code.paths;
  if (!paths) return <p class="empty">{code.noPaths ? `The paths of this function were not counted: ${visible(code.noPaths)}.` : 'Paths were not counted. Build with chord --paths to see how often each path through the function ran.'}</p>;
  const shown = selection.path ?? 0;
  const executed = (i: number) => num(paths[i]!.count) * paths[i]!.length;
  const all = paths.reduce((sum, _, i) => sum + executed(i), 0);
  const columns: Column[] = [
    { key: 'share', label: 'share', left: true, value: executed, cell: (i) => <Share part={executed(i)} whole={all} /> },
    { key: 'count', label: 'count', value: (i) => num(paths[i]!.count), cell: (i) => count(paths[i]!.count) },
    { key: 'length', label: 'instrs', value: (i) => paths[i]!.length, cell: (i) => count(paths[i]!.length) },
    { key: 'blocks', label: 'blocks', value: (i) => paths[i]!.blocks.length, cell: (i) => paths[i]!.blocks.length },
    { key: 'path', label: 'path', left: true, wide: true, value: (i) => num(paths[i]!.number), cell: (i) => (
      <button type="button" class="quiet" aria-pressed={i === shown} onClick={() => select({ path: i })}>{pathTitle(paths[i]!)} {paths[i]!.start} → {paths[i]!.end}</button>) },
  ];
  return (
    <div class="panes paths">
      <div class="stack"><p class="say">{count(code.pathsRan)} of {count(code.pathsPossible)} possible paths ran{paths.length < code.pathsRan! ? `; the ${count(paths.length)} hottest are listed` : ''}.</p>
        <Table name="Paths" columns={columns} rows={paths.map((_, i) => i)} sort="share" /></div>
      {list && <SourcePane {...{ code, list, selection: { path: shown }, hover, setHover, path: paths[shown] }} />}
    </div>
  );
}

function CallsTab({ f }: { f: number }) {
  const { index } = useData();
  const c = index.calls;
  const callers = useMemo(() => c.to.map((_, i) => i).filter((i) => c.to[i] === f && num(c.count[i]) > 0).sort((a, b) => num(c.count[b]) - num(c.count[a])), [index, f]);
  const callees = useMemo(() => c.from.map((_, i) => i).filter((i) => c.from[i] === f && num(c.count[i]) > 0).sort((a, b) => num(c.count[b]) - num(c.count[a])), [index, f]);
  const calls = index.functions.calls[f];
  const known = callers.reduce((sum, i) => sum + num(c.count[i]), 0);
  const rest = num(calls) - known;
  const made = callees.reduce((sum, i) => sum + num(c.count[i]), 0) + num(c.indirect[f]);
  const list = (rows: number[], whole: number, name: (i: number) => ComponentChildren) => rows.map((i) => (
    <tr key={i}><td class="left"><span class="share"><Bar part={num(c.count[i])} whole={whole} /><span>{percent(num(c.count[i]), whole)}</span></span></td><td>{count(c.count[i])}</td><td class="left wide">{name(i)}</td></tr>));
  const extra = (text: string, n: Count, whole: number) => num(n) > 0 && <tr class="dim"><td class="left"><span class="share"><Bar part={num(n)} whole={whole} /><span>{percent(num(n), whole)}</span></span></td><td>{count(n)}</td><td class="left wide">{text}</td></tr>;
  const head = (who: string) => <thead><tr><th scope="col" class="left">share</th><th scope="col">calls</th><th scope="col" class="left wide">{who}</th></tr></thead>;
  return (
    <div class="columns even pad">
      <Panel title="Callers" more={<span class="dim">called {counted(calls, 'time')}</span>}><table class="plain">{head('from')}<tbody>
        {list(callers, num(calls), (i) => <FunctionName f={c.from[i]!} tab="calls" />)}
        {extra('through pointers, or from code that is not instrumented', rest, num(calls))}</tbody></table>
        {rest < 0 && <p class="say dim">Calls that the linker or an exception diverted: more were made by name than arrived.</p>}</Panel>
      <Panel title="Callees" more={<span class="dim">made {counted(made, 'call')}</span>}><table class="plain">{head('to')}<tbody>
        {list(callees, made, (i) => (c.to[i]! >= 0 ? <FunctionName f={c.to[i]!} tab="calls" /> : <span><bdi class="name">{visible(c.outside[-1 - c.to[i]!]!.slice(0, 200))}</bdi> <span class="dim">not instrumented</span></span>))}
        {extra('through pointers: where to is not recorded', c.indirect[f]!, made)}</tbody></table></Panel>
    </div>
  );
}

function LoopsTab({ f }: { f: number }) {
  const { index } = useData();
  const rows = useMemo(() => index.loops.function.map((_, i) => i).filter((i) => index.loops.function[i] === index.functions.name[f] && index.loops.unit[i] === index.functions.units[index.functions.unit[f]!]), [index, f]);
  return rows.length ? <LoopTable rows={rows} name="Loops of the function" /> : <p class="empty">This function has no loops.</p>;
}

const TABS = [['source', 'Source & assembly'], ['graph', 'Graph'], ['paths', 'Paths'], ['calls', 'Callers & callees'], ['loops', 'Loops']] as const;

export function FunctionView({ place }: { place: Place }) {
  const data = useData();
  const f = data.findKey(place.argument);
  const code = useLoaded(() => data.code(Math.max(0, f)), f);
  const list = useLoaded(() => (code ? listing(data, code) : new Promise<Listing>(() => {})), code);
  const tab = place.tab || 'source';
  const selection = selectionOf(place);
  // With the page, not a frame later: a key that comes in between would be about the function before.
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      if ((event.target as Element).closest('input,textarea,dialog') || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = event.key === ']' ? 1 : event.key === '[' ? -1 : 0;
      const letter = { s: 'source', g: 'graph', p: 'paths', c: 'calls', l: 'loops' }[event.key];
      if (step && data.index.functions.name[f + step] !== undefined) go(link('function', data.keyOf(f + step), place.tab));
      else if (letter) go(link('function', place.argument, letter, Object.fromEntries(place.query)));
      else if (event.key === 'Escape') select({});
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  });
  if (f < 0) return <div class="page"><h1>No such function</h1><p>The program has no function <bdi>{visible(place.argument.slice(0, 200))}</bdi>.</p></div>;
  const fn = data.index.functions;
  const total = num(data.index.instructions);
  const old = data.index.old;
  return (
    <div class="page full function">
      <div class="title">
        <h1 tabIndex={data.title(f).length > 300 ? 0 : undefined} title={visible(data.title(f).slice(0, 2000))}><bdi>{familiarName(data.title(f))}</bdi></h1>
        <p class="facts"><span><b>{count(fn.executed[f])}</b> instructions executed ({percent(num(fn.executed[f]), total)})</span><span><b>{count(fn.calls[f])}</b> call{num(fn.calls[f]) === 1 ? '' : 's'}</span>
          <span><b>{count(fn.instructions[f])}</b> instructions of code, <b>{count(fn.never[f])}</b> never ran</span><span><b>{count(fn.blocks[f])}</b> blocks, <b>{count(fn.blocksNever[f])}</b> never</span>
          {old && <span>{['new function', 'its code differs from the older build: only totals are compared', 'same code as before'][old.code[f]!]}: <b>{old.code[f] === 0 ? '' : change(old.executed[f]!, fn.executed[f]!)}</b></span>}
          {fn.place[f] && <a href={link('file', data.index.files.path[fn.place[f]![0]]!, '', { line: fn.place[f]![1] })}><bdi>{visible(data.index.files.shown[fn.place[f]![0]]!)}</bdi>:{fn.place[f]![1]}</a>}</p>
        {fn.problem[f] != null && <p class="warn">These counts are not known: {visible(fn.problem[f]!)}</p>}
      </div>
      <nav class="tabs" aria-label="Parts of the function">{TABS.map(([name, label]) => (
        <a key={name} href={link('function', place.argument, name, Object.fromEntries(place.query))} aria-current={tab === name ? 'page' : undefined}>{label}</a>))}
        <span class="dim hint"><kbd>[</kbd> hotter <kbd>]</kbd> cooler</span></nav>
      {!code ? <p class="empty">…</p>
        : tab === 'graph' ? <div class="panes graph-panes"><Graph key={f} code={code} selection={selection} list={list} /><PathPanel code={code} selection={selection} /></div>
        : tab === 'paths' ? <PathsTab code={code} list={list} selection={selection} />
        : tab === 'calls' ? <CallsTab f={f} />
        : tab === 'loops' ? <LoopsTab f={f} />
        : <SourceTab code={code} list={list} selection={selection} />}
    </div>
  );
}
