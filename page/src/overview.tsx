// The first view: how much ran, where it went, what never ran, what was left out.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Overview } from './data';
import { count, num, percent, short, shortName, visible, change } from './format';
import { link } from './router';
import { Bar, Panel, Share } from './ui';

interface Shown { of: Overview }

function Stat({ label, value, detail, part, whole, kind }: {
  label: string; value: string; detail: string; part?: number; whole?: number; kind?: 'cover' | 'lost';
}) {
  return (
    <div class="stat"><dt>{label}</dt><dd><b>{value}</b><span class="dim">{detail}</span>
      {whole !== undefined && <Bar part={part!} whole={whole} kind={kind} />}</dd></div>
  );
}

function Stats({ of: index }: Shown) {
  const t = index.totals;
  const ran = t.instructions - t.never;
  return (
    <dl class="stats">
      <Stat label="Instructions executed" value={count(index.instructions)} detail={index.old !== undefined ? `${change(index.old, index.instructions)} against the older profile` : `in ${count(t.calls)} call${t.calls === 1 ? '' : 's'}`} />
      <Stat label="Functions that ran" value={count(t.called)} detail={`of ${count(t.functions)} (${percent(t.called, t.functions)})`} part={t.called} whole={t.functions} kind="cover" />
      <Stat label="Code that ran" value={count(ran)} detail={`of ${count(t.instructions)} instructions (${percent(ran, t.instructions)})`} part={ran} whole={t.instructions} kind="cover" />
      <Stat label="Blocks that ran" value={count(t.blocks - t.blocksNever)} detail={`of ${count(t.blocks)} (${percent(t.blocks - t.blocksNever, t.blocks)})`} part={t.blocks - t.blocksNever} whole={t.blocks} kind="cover" />
      <Stat label="Runs" value={count(index.runs)} detail={`${count(index.threads)} thread${index.threads === 1 ? '' : 's'}`} />
    </dl>
  );
}

function Name({ of, room, tab = '' }: { of: { key: string; title: string }; room: number; tab?: string }) {
  return <a class="name" href={link('function', of.key, tab)} title={visible(of.title.slice(0, 2000))}><bdi>{shortName(of.title, room)}</bdi></a>;
}

function Hottest({ of }: Shown) {
  const total = num(of.instructions);
  return (
    <Panel title="Hottest functions" more={<a href={link('functions')}>all {count(of.functions)}</a>}>
      {of.hottest.length === 0 ? <p class="say">Nothing that was woven ran.</p> :
      <table class="plain"><thead><tr><th scope="col" class="left">share</th><th scope="col">executed</th><th scope="col" class="narrow-off">calls</th><th scope="col" class="left wide">function</th></tr></thead>
        <tbody>{of.hottest.map((f) => (
          <tr key={f.key}><td class="left"><Share part={f.executed} whole={total} /></td><td>{count(f.executed)}</td>
            <td class="narrow-off">{count(f.calls)}</td><td class="left"><Name of={f} room={innerWidth < 1200 ? 38 : 48} /></td></tr>))}</tbody></table>}
    </Panel>
  );
}

// How many functions make up how much of the execution.
function Concentration({ of }: Shown) {
  const { of: numbers, share, needed } = of.concentration;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element || numbers.length < 2) return;
    const draw = () => {
      const style = getComputedStyle(document.documentElement);
      const color = (name: string) => style.getPropertyValue(name).trim();
      element.replaceChildren();
      return new uPlot({
        width: element.clientWidth, height: 150, legend: { show: false }, cursor: { y: false, points: { show: false } },
        scales: { x: { time: false, distr: 3, range: [1, numbers[numbers.length - 1]!] }, y: { range: [0, 100] } },
        axes: [
          { stroke: color('--dim'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false }, size: 26, font: '11px system-ui',
            values: (_, splits) => splits.map((v) => (v != null && Number.isInteger(Math.log10(v)) ? short(v) : '')) },
          { stroke: color('--dim'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false }, size: 40, font: '11px system-ui',
            values: (_, splits) => splits.map((v) => v + '%'), splits: () => [0, 25, 50, 75, 100] },
        ],
        series: [{}, { stroke: color('--accent'), width: 2, fill: color('--accent-soft'), points: { show: numbers.length < 20 } }],
      }, [numbers, share], element);
    };
    let plot = draw();
    const again = () => { plot.destroy(); plot = draw(); };
    addEventListener('chord-theme', again);
    const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 150 }));
    sizes.observe(element);
    return () => { sizes.disconnect(); removeEventListener('chord-theme', again); plot.destroy(); };
  }, [of]);
  if (numbers.length < 2) return null;
  const [half, most, nearly] = needed;
  const text = `${count(half)} function${half === 1 ? '' : 's'} account${half === 1 ? 's' : ''} for half of all instructions executed, ${count(most)} for 90%, ${count(nearly)} for 99%.`;
  return (
    <Panel title="Concentration">
      <p class="say">{text}</p>
      <div class="plot" ref={box} role="img" aria-label={'Share of execution by number of functions. ' + text} />
    </Panel>
  );
}

function Mix({ of }: Shown) {
  if (of.mix.length === 0 || num(of.instructions) === 0) return null;
  return (
    <Panel title="Instruction mix" more={<a href={link('opcodes')}>all opcodes</a>}>
      <table class="plain"><tbody>{of.mix.map((row) => (
        <tr key={row.name}><td class="left"><Share part={row.count} whole={num(of.instructions)} /></td><td>{short(row.count)}</td><td class="left wide">{visible(row.name)}</td></tr>))}</tbody></table>
    </Panel>
  );
}

function HotLoops({ of }: Shown) {
  if (of.loops.length === 0) return null;
  return (
    <Panel title="Hottest loops" more={<a href={link('loops')}>all {count(of.allLoops)}</a>}>
      <table class="plain"><thead><tr><th scope="col" class="left">share</th><th scope="col" title="average iterations each time the loop was entered">trips</th><th scope="col">line</th><th scope="col" class="left wide">function</th></tr></thead>
        <tbody>{of.loops.map((loop, i) => (
          <tr key={i}><td class="left"><Share part={loop.executed} whole={num(of.instructions)} /></td><td>{trips(loop.entered, loop.iterations)}</td><td class="dim">{loop.line ? String(loop.line) : ''}</td>
            <td class="left">{loop.key !== null ? <Name of={{ key: loop.key, title: loop.title }} room={28} tab="loops" /> : <bdi>{visible(loop.title.slice(0, 90))}</bdi>}</td></tr>))}</tbody></table>
    </Panel>
  );
}

export function trips(entered: import('./data').Count, iterations: import('./data').Count): string {
  if (entered == null || iterations == null) return '?';
  if (num(entered) === 0) return '–';
  const n = num(iterations) / num(entered);
  return n >= 1000 ? short(Math.round(n)) : n.toFixed(1);
}

function LeftOut({ of }: Shown) {
  return (
    <Panel title="Left out" more={<a href={link('left-out')}>details</a>}>
      {of.leftOut.length === 0 && of.problems === 0 && <p class="say">Every function of the woven code was counted.</p>}
      {of.leftOut.length > 0 && <table class="plain"><tbody>{of.leftOut.map(({ reason, times }) => (
        <tr key={reason}><td>{count(times)}</td><td class="left wide">{visible(reason)}</td></tr>))}</tbody></table>}
      {of.problems > 0 && <p class="warn">{count(of.problems)} function{of.problems === 1 ? ' has' : 's have'} counts that are not known.</p>}
    </Panel>
  );
}

function LeastCovered({ of }: Shown) {
  if (of.files.length === 0) return null;
  return (
    <Panel title="Lines that never ran" more={<a href={link('files')}>all files</a>}>
      <table class="plain"><thead><tr><th scope="col" class="left">ran</th><th scope="col">never</th><th scope="col" class="left wide">file</th></tr></thead><tbody>{of.files.map((f) => (
        <tr key={f.path}><td class="left"><span class="share"><Bar part={f.ran} whole={f.lines} kind="cover" /><span>{percent(f.ran, f.lines)}</span></span></td>
          <td>{count(f.lines - f.ran)}</td><td class="left"><a class="name" href={link('file', f.path)} title={visible(f.path)}><bdi>{visible(f.shown)}</bdi></a></td></tr>))}</tbody></table>
    </Panel>
  );
}

export function OverviewView({ of }: Shown) {
  return (
    <div class="page overview">
      <h1 class="sr">Overview of {visible(of.program)}</h1>
      {of.warnings.map((w) => <p class="warn" key={w}>{visible(w)}</p>)}
      <Stats of={of} />
      <div class="columns">
        <div><Hottest of={of} /><LeastCovered of={of} /></div>
        <div><Concentration of={of} /><HotLoops of={of} /><Mix of={of} /><LeftOut of={of} /></div>
      </div>
    </div>
  );
}
