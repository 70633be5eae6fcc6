// The views that are one table each.
import { useMemo, useState } from 'preact/hooks';
import type { Count } from './data';
import { change, count, num, offset, percent, shortName, visible } from './format';
import { trips } from './overview';
import { link } from './router';
import { Bar, FunctionName, Share, Table, useData, type Column } from './ui';

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const amount = (key: string, label: string, get: (i: number) => Count | undefined, title?: string): Column =>
  ({ key, label, title, value: (i) => num(get(i)), cell: (i) => count(get(i)) });

function Filter({ set, label }: { set: (text: string) => void; label: string }) {
  return <input class="filter" type="search" placeholder="Filter" aria-label={label} spellcheck={false} onInput={(e) => set(e.currentTarget.value.toLowerCase())} />;
}

export function FunctionsView() {
  const data = useData();
  const { functions: f, files, instructions } = data.index;
  const [filter, setFilter] = useState('');
  const [ranOnly, setRanOnly] = useState(false);
  const rows = useMemo(() => range(f.name.length).filter((i) => (!ranOnly || num(f.executed[i]) > 0) &&
    (filter === '' || (data.title(i) + ' ' + f.name[i]! + ' ' + (f.place[i] ? files.path[f.place[i]![0]] : '')).toLowerCase().includes(filter))), [data, filter, ranOnly]);
  const total = num(instructions);
  const columns: Column[] = [
    { key: 'share', label: 'share', left: true, value: (i) => num(f.executed[i]), cell: (i) => <Share part={f.executed[i]!} whole={total} /> },
    amount('executed', 'executed', (i) => f.executed[i], 'instructions executed in the function itself'),
    amount('calls', 'calls', (i) => f.calls[i]),
    amount('instructions', 'instrs', (i) => f.instructions[i], 'instructions of its code'),
    amount('never', 'never', (i) => f.never[i], 'instructions that never ran'),
    { key: 'name', label: 'function', left: true, wide: true, value: (i) => data.title(i), cell: (i) => <><FunctionName f={i} />{f.problem[i] != null && <span class="badge" title={visible(f.problem[i]!)}>not exact</span>}</> },
    { key: 'file', label: 'file', left: true, value: (i) => (f.place[i] ? files.shown[f.place[i]![0]]! : ''),
      cell: (i) => f.place[i] && <a class="name dim" href={link('file', files.path[f.place[i]![0]]!, '', { line: f.place[i]![1] })}><bdi>{visible(tail(files.shown[f.place[i]![0]]!))}</bdi>:{f.place[i]![1]}</a> },
  ];
  return (
    <div class="page full">
      <div class="bar-row"><h1>Functions</h1><Filter set={setFilter} label="Filter functions" />
        <label><input type="checkbox" checked={ranOnly} onChange={(e) => setRanOnly(e.currentTarget.checked)} /> only those that ran</label>
        <span class="dim">{count(rows.length)} of {count(f.name.length)}</span></div>
      <Table name="Functions" columns={columns} rows={rows} sort="executed" open={(i) => link('function', data.keyOf(i))} />
    </div>
  );
}

const tail = (path: string) => (path.length > 44 ? '…' + path.slice(-43) : path);

export function FilesView() {
  const { index } = useData();
  const f = index.files;
  const [filter, setFilter] = useState('');
  const all = useMemo(() => range(f.name.length).filter((i) => f.lines[i]! > 0), [index]);
  const rows = useMemo(() => all.filter((i) => f.path[i]!.toLowerCase().includes(filter)), [all, filter]);
  const columns: Column[] = [
    { key: 'share', label: 'share', left: true, value: (i) => num(f.executed[i]), cell: (i) => <Share part={f.executed[i]!} whole={num(index.instructions)} /> },
    amount('executed', 'executed', (i) => f.executed[i], 'instructions executed of lines in this file, wherever they were inlined'),
    amount('instructions', 'instrs', (i) => f.instructions[i]),
    { key: 'coverage', label: 'lines that ran', left: true, value: (i) => f.ran[i]! / f.lines[i]!, cell: (i) => <span class="share"><Bar part={f.ran[i]!} whole={f.lines[i]!} kind="cover" /><span>{percent(f.ran[i]!, f.lines[i]!)}</span></span> },
    amount('lines', 'lines with code', (i) => f.lines[i]),
    amount('never', 'never', (i) => f.lines[i]! - f.ran[i]!, 'lines with code that never ran'),
    { key: 'path', label: 'file', left: true, wide: true, value: (i) => f.path[i]!, cell: (i) => <a class="name" href={link('file', f.path[i]!)} title={visible(f.path[i]!)}><bdi>{visible(f.shown[i]!)}</bdi></a> },
  ];
  return (
    <div class="page full">
      <div class="bar-row"><h1>Files</h1><Filter set={setFilter} label="Filter files" /><span class="dim">{count(rows.length)} of {count(all.length)}</span></div>
      <Table name="Files" columns={columns} rows={rows} sort="executed" open={(i) => link('file', f.path[i]!)} />
    </div>
  );
}

export function LoopTable({ rows, name }: { rows: number[]; name: string }) {
  const data = useData();
  const l = data.index.loops;
  const columns: Column[] = [
    { key: 'share', label: 'share', left: true, value: (i) => num(l.executed[i]), cell: (i) => <Share part={l.executed[i]!} whole={num(data.index.instructions)} /> },
    amount('executed', 'executed', (i) => l.executed[i], 'instructions executed in the loop, inner loops included'),
    { key: 'trips', label: 'trips', title: 'average iterations each time the loop was entered', value: (i) => num(l.iterations[i]) / Math.max(1, num(l.entered[i])), cell: (i) => trips(l.entered[i]!, l.iterations[i]!) },
    amount('iterations', 'iterations', (i) => l.iterations[i]),
    amount('entered', 'entered', (i) => l.entered[i]),
    amount('depth', 'depth', (i) => l.depth[i], 'loops around it, itself included'),
    amount('instructions', 'instrs', (i) => l.instructions[i]),
    { key: 'where', label: 'function', left: true, wide: true, value: (i) => l.function[i]!, cell: (i) => {
      const f = data.findFunction(l.function[i]!, l.unit[i]!);
      return f >= 0 ? <FunctionName f={f} /> : <bdi>{visible(l.function[i]!.slice(0, 200))}</bdi>;
    } },
    { key: 'line', label: 'line', left: true, value: (i) => l.line[i]!, cell: (i) => (l.line[i] ? <span class="dim"><bdi>{visible(tail(l.file[i]!))}</bdi>:{l.line[i]}</span> : <span class="dim">{offset(l.offset[i]!)}</span>) },
  ];
  const open = (i: number) => { const f = data.findFunction(l.function[i]!, l.unit[i]!); return f >= 0 ? link('function', data.keyOf(f)) : null; };
  return <Table name={name} columns={columns} rows={rows} sort="executed" open={open} />;
}

export function LoopsView() {
  const { index } = useData();
  const rows = useMemo(() => range(index.loops.function.length), [index]);
  return <div class="page full"><div class="bar-row"><h1>Loops</h1><span class="dim">{count(rows.length)}; trips = iterations each time a loop was entered, on average</span></div><LoopTable rows={rows} name="Loops" /></div>;
}

export function InlinedView() {
  const data = useData();
  const n = data.index.inlined;
  const [filter, setFilter] = useState('');
  const rows = useMemo(() => range(n?.function.length ?? 0).filter((i) => filter === '' || data.inlinedTitle(i).toLowerCase().includes(filter)), [data, filter]);
  if (!n) return <div class="page"><h1>Inlined</h1><p>Nothing was inlined, or the program was built without <code>-g</code>.</p></div>;
  const columns: Column[] = [
    { key: 'share', label: 'share', left: true, value: (i) => num(n.executed[i]), cell: (i) => <Share part={n.executed[i]!} whole={num(data.index.instructions)} /> },
    amount('executed', 'executed', (i) => n.executed[i], 'instructions executed that come from the function itself'),
    amount('inclusive', 'inclusive', (i) => n.inclusive[i], 'the same with those of functions inlined into it'),
    amount('instructions', 'instrs', (i) => n.instructions[i], 'instructions of all its copies'),
    amount('sites', 'sites', (i) => n.sites[i], 'places where it was inlined'),
    { key: 'name', label: 'function', left: true, wide: true, value: (i) => data.inlinedTitle(i), cell: (i) => <bdi class="name" title={visible(data.inlinedTitle(i).slice(0, 2000))}>{shortName(data.inlinedTitle(i))}</bdi> },
  ];
  return (
    <div class="page full">
      <div class="bar-row"><h1>Inlined</h1><Filter set={setFilter} label="Filter functions" />
        <span class="dim">{count(rows.length)} of {count(n.function.length)} functions; they are not called, so their calls are not counted, but their instructions are</span></div>
      <Table name="Inlined" columns={columns} rows={rows} sort="executed" />
    </div>
  );
}

export function OpcodesView() {
  const { index } = useData();
  const o = index.opcodes;
  const columns = (what: string): Column[] => [
    { key: 'share', label: 'share', left: true, value: (i) => num(o.count[i]), cell: (i) => <Share part={o.count[i]!} whole={num(index.instructions)} /> },
    amount('count', 'executed', (i) => o.count[i]),
    amount('instructions', 'instrs', (i) => o.instructions[i], 'in the code'),
    { key: 'opcode', label: what, left: true, wide: true, value: (i) => o.opcode[i]!, cell: (i) => <code>{visible(o.opcode[i]!)}</code> },
  ];
  const of = (kind: string) => range(o.kind.length).filter((i) => o.kind[i] === kind);
  return (
    <div class="page full">
      <div class="bar-row"><h1>Instruction mix</h1><span class="dim">mnemonics add up to the total; an instruction may belong to several classes</span></div>
      <div class="split"><Table name="Mnemonics" columns={columns('mnemonic')} rows={of('mnemonic')} sort="count" /><Table name="Classes" columns={columns('class')} rows={of('class')} sort="count" /></div>
    </div>
  );
}

export function LeftOutView() {
  const data = useData();
  const { skipped: s, functions: f } = data.index;
  const problems = range(f.name.length).filter((i) => f.problem[i] != null);
  const columns: Column[] = [
    { key: 'name', label: 'function', left: true, value: (i) => s.demangled[i] ?? s.name[i]!, cell: (i) => <bdi class="name">{visible((s.demangled[i] ?? s.name[i]!).slice(0, 200))}</bdi> },
    { key: 'reason', label: 'left as it was because', left: true, wide: true, value: (i) => s.reason[i]!, cell: (i) => visible(s.reason[i]!) },
    { key: 'unit', label: 'translation unit', left: true, value: (i) => s.unit[i]!, cell: (i) => <bdi class="dim">{visible(tail(s.unit[i]!))}</bdi> },
  ];
  return (
    <div class="page full">
      <div class="bar-row"><h1>Left out</h1><span class="dim">{count(s.name.length)} functions were not instrumented, {count(problems.length)} have counts that are not known. Code built without chord, such as system libraries, is not counted at all.</span></div>
      {problems.length > 0 && <ul class="problems">{problems.map((i) => <li key={i}><FunctionName f={i} /> <span class="dim">{visible(f.problem[i]!)}</span></li>)}</ul>}
      <Table name="Left out" columns={columns} rows={range(s.name.length)} sort="reason" ascending />
    </div>
  );
}

export function DiffView() {
  const data = useData();
  const { functions: f, old } = data.index;
  const [changedOnly, setChangedOnly] = useState(true);
  const n = f.name.length;
  if (!old) return <div class="page"><h1>Comparison</h1><p>This report holds one profile. <code>chord html --diff OLD NEW</code> compares two.</p></div>;
  const before = (i: number): Count => (i >= n ? old.gone[i - n]!.executed : old.code[i] === 0 ? 0 : old.executed[i]!);
  const now = (i: number): Count => (i >= n ? 0 : f.executed[i]!);
  const title = (i: number) => (i >= n ? old.gone[i - n]!.demangled ?? old.gone[i - n]!.name : data.title(i));
  const calls = (i: number): [Count, Count] => (i >= n ? [old.gone[i - n]!.calls, 0] : [old.code[i] === 0 ? 0 : old.calls[i]!, f.calls[i]!]);
  const state = (i: number) => (i >= n ? 'gone' : ['new', 'code differs', 'same code'][old.code[i]!]!);
  const rows = range(n + old.gone.length).filter((i) => !changedOnly || before(i) !== now(i) || calls(i)[0] !== calls(i)[1]);
  const difference = (i: number) => num(now(i)) - num(before(i));
  const most = Math.max(1, ...rows.map((i) => Math.abs(difference(i))));
  const columns: Column[] = [
    { key: 'change', label: 'change', value: difference, cell: (i) => <span class={difference(i) > 0 ? 'more' : difference(i) < 0 ? 'less' : 'dim'}>{change(before(i), now(i)) || '?'}</span> },
    { key: 'size', label: 'size', left: true, value: (i) => Math.abs(difference(i)), cell: (i) => <Bar part={Math.abs(difference(i))} whole={most} kind={difference(i) > 0 ? 'hot' : 'cover'} /> },
    amount('old', 'old', before), amount('new', 'new', now),
    { key: 'calls', label: 'calls', value: (i) => num(calls(i)[1]) - num(calls(i)[0]), cell: (i) => change(...calls(i)) },
    { key: 'code', label: 'code', left: true, value: state, cell: (i) => <span class="dim">{state(i)}</span> },
    { key: 'name', label: 'function', left: true, wide: true, value: title, cell: (i) => (i < n ? <FunctionName f={i} /> : <bdi class="name">{visible(title(i).slice(0, 200))}</bdi>) },
  ];
  return (
    <div class="page full">
      <div class="bar-row"><h1>Comparison</h1><span>{count(old.instructions)} → {count(data.index.instructions)} instructions ({change(old.instructions, data.index.instructions)})</span>
        <label><input type="checkbox" checked={changedOnly} onChange={(e) => setChangedOnly(e.currentTarget.checked)} /> only what changed</label></div>
      <Table name="Comparison" columns={columns} rows={rows} sort="size" open={(i) => (i < n ? link('function', data.keyOf(i)) : null)} />
    </div>
  );
}
