// A tree with weights as a flame graph on a canvas. It knows nothing of profiles: parents come before their
// children, each node has a weight of its own. A million nodes are laid out once; of each frame only the
// rectangles that are at least half a pixel wide are drawn.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Contexts } from './data';
import { count, counted, num, percent, shortName, visible } from './format';
import { link } from './router';
import { FunctionName, Panel, Share, useData } from './ui';

export interface Tree { parent: ArrayLike<number>; own: ArrayLike<number>; name: (node: number) => string }

export interface Laid {
  total: Float64Array; left: Float64Array; depth: Int32Array; deepest: number;
  levels: Int32Array[];  // nodes of each depth, left to right
}

// Totals from the leaves up, places from the roots down.
export function layOutTree(tree: Tree): Laid {
  const n = tree.parent.length;
  const total = Float64Array.from(tree.own as number[]);
  for (let i = n - 1; i >= 0; --i) if (tree.parent[i]! >= 0) total[tree.parent[i]!]! += total[i]!;
  const left = new Float64Array(n), used = new Float64Array(n), depth = new Int32Array(n);
  let roots = 0, deepest = 0;
  for (let i = 0; i < n; ++i) {
    const p = tree.parent[i]!;
    if (p < 0) {
      left[i] = roots;
      roots += total[i]!;
    } else {
      left[i] = left[p]! + used[p]!;
      used[p]! += total[i]!;
      depth[i] = depth[p]! + 1;
      deepest = Math.max(deepest, depth[i]!);
    }
  }
  const sizes = new Int32Array(deepest + 1);
  for (let i = 0; i < n; ++i) ++sizes[depth[i]!]!;
  const levels = Array.from(sizes, (size) => new Int32Array(size));
  sizes.fill(0);
  for (let i = 0; i < n; ++i) levels[depth[i]!]![sizes[depth[i]!]!++] = i;
  for (const level of levels) level.sort((a, b) => left[a]! - left[b]!);
  return { total, left, depth, deepest, levels };
}

// The first of a level's nodes that ends after `x`.
function firstAfter(laid: Laid, level: Int32Array, x: number): number {
  let low = 0, high = level.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (laid.left[level[middle]!]! + laid.total[level[middle]!]! <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

const FRAME = 18;

export function Flame({ tree, describe, open, choose }: { tree: Tree; describe: (node: number) => string; open?: (node: number) => void; choose?: (node: number) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const laid = useMemo(() => layOutTree(tree), [tree]);
  const whole = useMemo(() => laid.levels[0]?.reduce((sum, i) => sum + laid.total[i]!, 0) ?? 0, [laid]);
  const [zoom, setZoom] = useState<{ left: number; width: number }>({ left: 0, width: whole });
  const [at, setAt] = useState(laid.levels[0]?.[0] ?? -1);
  const [find, setFind] = useState('');
  const matches = useMemo(() => {
    const word = find.toLowerCase();
    if (!word) return null;
    const names = new Map<string, boolean>();
    return (i: number) => {
      const name = tree.name(i);
      let hit = names.get(name);
      if (hit === undefined) names.set(name, (hit = name.toLowerCase().includes(word)));
      return hit;
    };
  }, [find, tree]);
  useEffect(() => {
    const draw = () => {
      const element = canvas.current!;
      const scale = devicePixelRatio || 1, width = element.clientWidth, height = (laid.deepest + 1) * FRAME;
      element.width = width * scale;
      element.height = height * scale;
      element.style.height = `${height}px`;
      const paint = element.getContext('2d')!;
      const style = getComputedStyle(element);
      const color = (name: string) => style.getPropertyValue(name).trim();
      const fills = Array.from({ length: 8 }, (_, i) => color(`--flame${i}`)), text = color('--flame-text'), hit = color('--accent'), edge = color('--back');
      paint.scale(scale, scale);
      paint.font = '11px system-ui, sans-serif';
      paint.textBaseline = 'middle';
      const perUnit = width / zoom.width;
      for (let d = 0; d <= laid.deepest; ++d) {
        const level = laid.levels[d]!;
        let drawn = -1;
        for (let k = firstAfter(laid, level, zoom.left); k < level.length; ++k) {
          const i = level[k]!;
          const x = (laid.left[i]! - zoom.left) * perUnit;
          if (x > width) break;
          const w = laid.total[i]! * perUnit;
          if (x + w < drawn + 0.5) continue;
          drawn = x + w;
          const name = tree.name(i);
          paint.fillStyle = matches?.(i) ? hit : fills[(name.length * 7 + (name.charCodeAt(name.length >> 1) || 0)) & 7]!;
          paint.fillRect(Math.max(0, x), d * FRAME, Math.min(w, width - Math.max(0, x)) - (w > 3 ? 1 : 0), FRAME - 1);
          if (i === at) {
            paint.strokeStyle = text;
            paint.lineWidth = 2;
            paint.strokeRect(Math.max(0, x) + 1, d * FRAME + 1, Math.max(1, Math.min(w, width) - 3), FRAME - 3);
          }
          const room = Math.floor((Math.min(x + w, width) - Math.max(0, x) - 6) / 6.6);
          if (room >= 3) {
            paint.fillStyle = matches?.(i) ? edge : text;
            paint.fillText(shortName(name, room), Math.max(0, x) + 3, d * FRAME + FRAME / 2);
          }
        }
      }
    };
    draw();
    const sizes = new ResizeObserver(draw);
    sizes.observe(canvas.current!);
    addEventListener('chord-theme', draw);
    return () => { sizes.disconnect(); removeEventListener('chord-theme', draw); };
  }, [laid, zoom, matches, at]);
  const under = (event: MouseEvent) => {
    const element = event.currentTarget as HTMLElement;
    const x = zoom.left + (event.offsetX / element.clientWidth) * zoom.width;
    const level = laid.levels[Math.floor(event.offsetY / FRAME)];
    const i = level?.[firstAfter(laid, level, x)];
    return i !== undefined && laid.left[i]! <= x ? i : -1;
  };
  const into = (i: number) => {
    if (i < 0 || laid.total[i]! <= 0) return;
    setZoom({ left: laid.left[i]!, width: laid.total[i]! });
    choose?.(i);
  };
  const step = (event: KeyboardEvent) => {
    const level = laid.levels[laid.depth[at] ?? 0] ?? new Int32Array();
    const place = level.indexOf(at);
    const below = laid.levels[(laid.depth[at] ?? 0) + 1];
    const down = below?.[firstAfter(laid, below, laid.left[at] ?? 0)];
    const to: Record<string, number | undefined> = { ArrowLeft: level[place - 1], ArrowRight: level[place + 1], ArrowUp: tree.parent[at], ArrowDown: down };
    if (event.key in to) { const next = to[event.key]; if (next !== undefined && next >= 0) setAt(next); }
    else if (event.key === 'Enter') into(at);
    else if (event.key === 'Escape' || event.key === 'Backspace') setZoom({ left: 0, width: whole });
    else if (event.key === 'o' && open && at >= 0) open(at);
    else return;
    event.preventDefault();
  };
  return (
    <div class="stack flame">
      <div class="bar-row small"><input class="filter" type="search" placeholder="Find" aria-label="Find in the flame graph" onInput={(e) => setFind(e.currentTarget.value)} />
        <button type="button" onClick={() => setZoom({ left: 0, width: whole })}>whole</button>
        <span class="flame-say" aria-live="polite"><bdi>{at >= 0 ? visible(describe(at)) : ''}</bdi> {at >= 0 && `${count(laid.total[at]!)} (${percent(laid.total[at]!, whole)})`}</span></div>
      <div class="graph"><canvas ref={canvas} tabIndex={0} role="img" aria-label="Flame graph. Arrow keys move, Enter zooms in, Escape zooms out." onKeyDown={step}
        onMouseMove={(e) => { const i = under(e); if (i >= 0 && i !== at) setAt(i); }} onClick={(e) => into(under(e))} onDblClick={(e) => { const i = under(e); if (i >= 0) open?.(i); }} /></div>
    </div>
  );
}

// Who calls a function, and what it calls, over all its contexts: calls, and instructions with all that was called.
interface Neighbor { calls: number; all: number }
function neighbors(contexts: Contexts, total: Float64Array, f: number): [Map<number, Neighbor>, Map<number, Neighbor>] {
  const callers = new Map<number, Neighbor>(), callees = new Map<number, Neighbor>();
  const add = (to: Map<number, Neighbor>, who: number, i: number) => {
    const sum = to.get(who) ?? { calls: 0, all: 0 };
    to.set(who, { calls: sum.calls + num(contexts.calls[i]), all: sum.all + total[i]! });
  };
  for (let i = 0; i < contexts.parent.length; ++i) {
    const p = contexts.parent[i]!, caller = p < 0 ? -1 : contexts.function[p]!;
    if (contexts.function[i] === f) add(callers, caller, i);
    if (caller === f) add(callees, contexts.function[i]!, i);
  }
  return [callers, callees];
}

function Neighbors({ title, of, whole }: { title: string; of: Map<number, Neighbor>; whole: number }) {
  const rows = [...of].sort((a, b) => b[1].all - a[1].all).slice(0, 20);
  return (
    <Panel title={title} more={of.size > rows.length && <span class="dim">the first {rows.length} of {of.size}</span>}><table class="plain">
      <thead><tr><th scope="col" class="left">share</th><th scope="col">instructions</th><th scope="col">calls</th><th scope="col" class="left wide">function</th></tr></thead>
      <tbody>{rows.map(([f, sum]) => <tr key={f}><td class="left"><Share part={sum.all} whole={whole} /></td><td>{count(sum.all)}</td><td>{count(sum.calls)}</td>
        <td class="left wide">{f < 0 ? <span class="dim">a root: where a thread or a signal handler began</span> : <FunctionName f={f} />}</td></tr>)}</tbody></table></Panel>
  );
}

export function ContextsView({ contexts }: { contexts: Contexts }) {
  const data = useData();
  const [chosen, choose] = useState(-1);
  const tree = useMemo<Tree>(() => ({ parent: contexts.parent, own: contexts.exclusive.map(num), name: (i) => data.title(contexts.function[i]!) }), [contexts]);
  const total = useMemo(() => layOutTree(tree).total, [tree]);
  const around = useMemo(() => (chosen < 0 ? null : neighbors(contexts, total, chosen)), [contexts, chosen]);
  const open = (i: number) => { location.hash = link('function', data.keyOf(contexts.function[i]!)); };
  const describe = (i: number) => `${tree.name(i)}${contexts.line[i] ? `, called at line ${contexts.line[i]}` : ''}, ${counted(contexts.calls[i], 'call')}:`;
  return <div class="page full"><div class="bar-row"><h1>Contexts</h1><span class="dim">{count(contexts.parent.length)} calling contexts; width = instructions executed</span></div>
    {contexts.note && <p class="dim">{visible(contexts.note)}</p>}
    <Flame tree={tree} describe={describe} open={open} choose={(i) => choose(contexts.function[i]!)} />
    {around && <div class="halves"><Neighbors title={`Callers of ${shortName(data.title(chosen), 60)}`} of={around[0]} whole={num(data.index.instructions)} />
      <Neighbors title="What it calls" of={around[1]} whole={num(data.index.instructions)} /></div>}</div>;
}
