// The first view: how much ran, where it went, what never ran, what was left out.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { count, num, percent, short, visible, change } from './format';
import { link } from './router';
import { Bar, FunctionName, Panel, Share, useData } from './ui';

function Stat({ label, value, detail, part, whole, kind }: {
  label: string; value: string; detail: string; part?: number; whole?: number; kind?: 'cover' | 'lost';
}) {
  return (
    <div class="stat"><dt>{label}</dt><dd><b>{value}</b><span class="dim">{detail}</span>
      {whole !== undefined && <Bar part={part!} whole={whole} kind={kind} />}</dd></div>
  );
}

function Stats() {
  const { index } = useData();
  const t = index.totals;
  const ran = t.instructions - t.never;
  return (
    <dl class="stats">
      <Stat label="Instructions executed" value={count(index.instructions)} detail={index.old ? `${change(index.old.instructions, index.instructions)} against the older profile` : `in ${count(t.calls)} calls`} />
      <Stat label="Functions that ran" value={count(t.called)} detail={`of ${count(t.functions)} (${percent(t.called, t.functions)})`} part={t.called} whole={t.functions} kind="cover" />
      <Stat label="Code that ran" value={count(ran)} detail={`of ${count(t.instructions)} instructions (${percent(ran, t.instructions)})`} part={ran} whole={t.instructions} kind="cover" />
      <Stat label="Blocks that ran" value={count(t.blocks - t.blocksNever)} detail={`of ${count(t.blocks)} (${percent(t.blocks - t.blocksNever, t.blocks)})`} part={t.blocks - t.blocksNever} whole={t.blocks} kind="cover" />
      <Stat label="Runs" value={count(index.runs)} detail={`${count(index.threads)} thread${index.threads === 1 ? '' : 's'}`} />
    </dl>
  );
}

function Hottest() {
  const { index } = useData();
  const total = num(index.instructions);
  const rows = index.functions.name.map((_, f) => f).filter((f) => num(index.functions.executed[f]) > 0).slice(0, 16);
  return (
    <Panel title="Hottest functions" more={<a href={link('functions')}>all {count(index.functions.name.length)}</a>}>
      <table class="plain"><thead><tr><th scope="col" class="left">share</th><th scope="col">executed</th><th scope="col">calls</th><th scope="col" class="left wide">function</th></tr></thead>
        <tbody>{rows.map((f) => (
          <tr key={f}><td class="left"><Share part={index.functions.executed[f]!} whole={total} /></td><td>{count(index.functions.executed[f])}</td>
            <td>{count(index.functions.calls[f])}</td><td class="left"><FunctionName f={f} /></td></tr>))}</tbody></table>
    </Panel>
  );
}

// How many functions make up how much of the execution.
function Concentration() {
  const { index } = useData();
  const box = useRef<HTMLDivElement>(null);
  const total = num(index.instructions);
  const sums = useMemo(() => {
    let sum = 0;
    return index.functions.executed.map(num).filter((n) => n > 0).map((n) => (100 * (sum += n)) / Math.max(total, 1));
  }, [index]);
  const needed = (part: number) => sums.findIndex((s) => s >= part - 1e-9) + 1 || sums.length;
  useEffect(() => {
    const element = box.current;
    if (!element || sums.length < 2) return;
    const draw = () => {
      const style = getComputedStyle(document.documentElement);
      const color = (name: string) => style.getPropertyValue(name).trim();
      element.replaceChildren();
      return new uPlot({
        width: element.clientWidth, height: 150, legend: { show: false }, cursor: { y: false, points: { show: false } },
        scales: { x: { time: false, distr: 3, range: [1, sums.length] }, y: { range: [0, 100] } },
        axes: [
          { stroke: color('--dim'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false }, size: 26, font: '11px system-ui',
            values: (_, splits) => splits.map((v) => (v != null && Number.isInteger(Math.log10(v)) ? short(v) : '')) },
          { stroke: color('--dim'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false }, size: 40, font: '11px system-ui',
            values: (_, splits) => splits.map((v) => v + '%'), splits: () => [0, 25, 50, 75, 100] },
        ],
        series: [{}, { stroke: color('--accent'), width: 2, fill: color('--accent-soft'), points: { show: sums.length < 20 } }],
      }, [sums.map((_, i) => i + 1), sums], element);
    };
    let plot = draw();
    const again = () => { plot.destroy(); plot = draw(); };
    addEventListener('chord-theme', again);
    const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 150 }));
    sizes.observe(element);
    return () => { sizes.disconnect(); removeEventListener('chord-theme', again); plot.destroy(); };
  }, [sums]);
  const text = `${count(needed(50))} function${needed(50) === 1 ? '' : 's'} account${needed(50) === 1 ? 's' : ''} for half of all instructions executed, ${count(needed(90))} for 90%, ${count(needed(99))} for 99%.`;
  return (
    <Panel title="Concentration">
      <p class="say">{text}</p>
      {sums.length >= 2 && <div class="plot" ref={box} role="img" aria-label={'Share of execution by number of functions. ' + text} />}
    </Panel>
  );
}

function Mix() {
  const { index } = useData();
  const o = index.opcodes;
  const rows = o.kind.map((_, i) => i).filter((i) => o.kind[i] === 'class').sort((a, b) => num(o.count[b]!) - num(o.count[a]!)).slice(0, 8);
  return (
    <Panel title="Instruction mix" more={<a href={link('opcodes')}>all opcodes</a>}>
      <table class="plain"><tbody>{rows.map((i) => (
        <tr key={i}><td class="left"><Share part={o.count[i]!} whole={num(index.instructions)} /></td><td>{short(o.count[i])}</td><td class="left wide">{o.opcode[i]}</td></tr>))}</tbody></table>
    </Panel>
  );
}

function HotLoops() {
  const data = useData();
  const l = data.index.loops;
  // An interpreter's many jumps make loops around loops, most of which never go round: their headers are rarely come to.
  const goesRound = (i: number) => l.entered[i] == null || l.iterations[i] == null || num(l.iterations[i]) >= num(l.entered[i]);
  const rows = l.function.map((_, i) => i).filter((i) => num(l.executed[i]) > 0 && goesRound(i)).slice(0, 8);
  if (rows.length === 0) return null;
  return (
    <Panel title="Hottest loops" more={<a href={link('loops')}>all {count(l.function.length)}</a>}>
      <table class="plain"><thead><tr><th scope="col" class="left">share</th><th scope="col" title="average iterations each time the loop was entered">trips</th><th scope="col" class="left wide">where</th></tr></thead>
        <tbody>{rows.map((i) => {
          const f = data.findFunction(l.function[i]!, l.unit[i]!);
          return <tr key={i}><td class="left"><Share part={l.executed[i]!} whole={num(data.index.instructions)} /></td><td>{trips(l.entered[i]!, l.iterations[i]!)}</td>
            <td class="left">{f >= 0 ? <FunctionName f={f} tab="loops" /> : <bdi>{visible(l.function[i]!.slice(0, 90))}</bdi>} <span class="dim">{l.line[i] ? `line ${l.line[i]}` : ''}</span></td></tr>;
        })}</tbody></table>
    </Panel>
  );
}

export function trips(entered: import('./data').Count, iterations: import('./data').Count): string {
  if (entered == null || iterations == null) return '?';
  if (num(entered) === 0) return '–';
  const n = num(iterations) / num(entered);
  return n >= 1000 ? short(Math.round(n)) : n.toFixed(1);
}

function LeftOut() {
  const { index } = useData();
  const problems = index.functions.problem.filter((p) => p != null).length;
  const reasons = new Map<string, number>();
  for (const reason of index.skipped.reason) {
    const plain = reason.replace(/^line \d+: /, '');
    reasons.set(plain, (reasons.get(plain) ?? 0) + 1);
  }
  const rows = [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 6);
  return (
    <Panel title="Left out" more={<a href={link('left-out')}>details</a>}>
      {rows.length === 0 && problems === 0 && <p class="say">Every function of the woven code was counted.</p>}
      {rows.length > 0 && <table class="plain"><tbody>{rows.map(([reason, times]) => (
        <tr key={reason}><td>{count(times)}</td><td class="left wide">{visible(reason)}</td></tr>))}</tbody></table>}
      {problems > 0 && <p class="warn">{count(problems)} function{problems === 1 ? ' has' : 's have'} counts that are not known.</p>}
    </Panel>
  );
}

function LeastCovered() {
  const { index } = useData();
  const f = index.files;
  const rows = f.name.map((_, i) => i).filter((i) => f.lines[i]! > 0)
    .sort((a, b) => (f.lines[b]! - f.ran[b]!) - (f.lines[a]! - f.ran[a]!)).slice(0, 8);
  if (rows.length === 0) return null;
  return (
    <Panel title="Lines that never ran" more={<a href={link('files')}>all files</a>}>
      <table class="plain"><thead><tr><th scope="col" class="left">ran</th><th scope="col">never</th><th scope="col" class="left wide">file</th></tr></thead><tbody>{rows.map((i) => (
        <tr key={i}><td class="left"><span class="share"><Bar part={f.ran[i]!} whole={f.lines[i]!} kind="cover" /><span>{percent(f.ran[i]!, f.lines[i]!)}</span></span></td>
          <td>{count(f.lines[i]! - f.ran[i]!)}</td><td class="left"><a class="name" href={link('file', f.path[i]!)} title={visible(f.path[i]!)}><bdi>{visible(f.name[i]!)}</bdi></a></td></tr>))}</tbody></table>
    </Panel>
  );
}

export function Overview() {
  const { index } = useData();
  return (
    <div class="page overview">
      <h1 class="sr">Overview of {visible(index.program)}</h1>
      {index.warnings.map((w) => <p class="warn" key={w}>{visible(w)}</p>)}
      <Stats />
      <div class="columns">
        <div><Hottest /><LeastCovered /></div>
        <div><Concentration /><HotLoops /><Mix /><LeftOut /></div>
      </div>
    </div>
  );
}
