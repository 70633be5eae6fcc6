// The control-flow graph of a function, laid out top to bottom, with counts on its edges.
import dagre from '@dagrejs/dagre';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { BLOCK_KINDS, EDGE_KINDS, NEVER_EDGE, type Code } from './data';
import { count, num, offset, short, visible } from './format';
import { select, type Selection } from './function';
import { heat } from './heat';
import { highlightAsm } from './highlight';
import { lineKey, type Listing } from './listing';

const MOST = 110;      // blocks that are laid out; of more, the hottest and what is around the selection
const TEXTS = 5;       // lines of text in a block
const WIDTH = 250, TEXT = 15;

interface Node { id: number; x: number; y: number; width: number; height: number; texts: string[]; more: number }
interface Edge { id: number; points: { x: number; y: number }[]; label: { x: number; y: number } }
interface Layout { nodes: Node[]; edges: Edge[]; width: number; height: number; hidden: number }

function chosen(code: Code, around: number | undefined, path: number[]): Set<number> {
  const all = code.blockKind.map((_, b) => b);
  if (all.length <= MOST) return new Set(all);
  const by = all.sort((a, b) => num(code.blockCount[b]) - num(code.blockCount[a]));
  const set = new Set([0, ...by.slice(0, MOST)]);
  for (const b of path) set.add(b);
  if (around !== undefined) {
    set.add(around);
    code.edgeFrom.forEach((from, e) => {
      if (from === around) set.add(code.edgeTo[e]!);
      if (code.edgeTo[e] === around) set.add(from);
    });
  }
  return set;
}

function textsOf(code: Code, b: number, list: Listing | null, assembly: boolean): string[] {
  const first = code.blockFirst[b]!, end = first + code.blockLength[b]!;
  const texts: string[] = [];
  if (!assembly && list) {
    let last = '';
    for (let i = first; i < end; ++i) {
      const key = lineKey(code.file[i]!, code.line[i]!);
      if (code.line[i] === 0 || key === last) continue;
      last = key;
      const row = list.rows[list.at.get(key) ?? -1];
      texts.push(`${code.line[i]}  ${(row?.text ?? '').trim()}`);
    }
    if (texts.length) return texts;
  }
  for (let i = first; i < end; ++i) texts.push(highlightAsm(code.text[i]!).map((w) => w.text).join(''));
  return texts;
}

function layOut(code: Code, list: Listing | null, assembly: boolean, around: number | undefined, path: number[]): Layout {
  const shown = chosen(code, around, path);
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 26, ranksep: 44, edgesep: 12, marginx: 20, marginy: 20 });
  const texts = new Map<number, string[]>();
  for (const b of shown) {
    const t = code.blockKind[b] === 2 ? textsOf(code, b, list, assembly) : [];
    texts.set(b, t);
    const lines = Math.min(t.length, TEXTS) + (t.length > TEXTS ? 1 : 0);
    graph.setNode(String(b), code.blockKind[b] === 2 ? { width: WIDTH, height: 26 + lines * TEXT + 6 } : { width: 84, height: 24 });
  }
  const edges: number[] = [];
  code.edgeFrom.forEach((from, e) => {
    const to = code.edgeTo[e]!;
    if (e === 0 || code.edgeKind[e] === NEVER_EDGE || !shown.has(from) || !shown.has(to)) return;
    edges.push(e);
    graph.setEdge(String(from), String(to), { width: 46, height: 14, labelpos: 'c', weight: num(code.edgeCount[e]) > 0 ? 2 : 1 }, String(e));
  });
  dagre.layout(graph);
  return {
    nodes: [...shown].map((b) => {
      const n = graph.node(String(b));
      const t = texts.get(b)!;
      return { id: b, x: n.x - n.width / 2, y: n.y - n.height / 2, width: n.width, height: n.height, texts: t.slice(0, TEXTS), more: Math.max(0, t.length - TEXTS) };
    }),
    edges: edges.map((e) => {
      const found = graph.edge({ v: String(code.edgeFrom[e]), w: String(code.edgeTo[e]), name: String(e) });
      return { id: e, points: found.points, label: { x: found.x ?? found.points[0]!.x, y: found.y ?? found.points[0]!.y } };
    }),
    width: graph.graph().width ?? 100, height: graph.graph().height ?? 100, hidden: code.blockKind.length - shown.size,
  };
}

function curve(points: { x: number; y: number }[]): string {
  let d = `M${points[0]!.x.toFixed(1)},${points[0]!.y.toFixed(1)}`;
  for (let i = 1; i < points.length - 1; ++i) {
    const p = points[i]!, q = points[i + 1]!;
    const end = i === points.length - 2 ? q : { x: (p.x + q.x) / 2, y: (p.y + q.y) / 2 };
    d += `Q${p.x.toFixed(1)},${p.y.toFixed(1)} ${end.x.toFixed(1)},${end.y.toFixed(1)}`;
  }
  if (points.length === 2) d += `L${points[1]!.x.toFixed(1)},${points[1]!.y.toFixed(1)}`;
  return d;
}

const pressed = (act: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();
  act();
};

export function Graph({ code, selection, list }: { code: Code; selection: Selection; list: Listing | null }) {
  const [assembly, setAssembly] = useState(false);
  const [zoom, setZoom] = useState(1);
  const box = useRef<HTMLDivElement>(null);
  const large = code.blockKind.length > MOST;
  const around = large ? selection.block : undefined;
  const most = useMemo(() => code.edgeCount.reduce<number>((m, c, e) => (e === 0 ? m : Math.max(m, num(c))), 1), [code]);
  const path = selection.path !== undefined ? code.paths?.[selection.path] : undefined;
  const through = large ? path : undefined;
  const layout = useMemo(() => layOut(code, list, assembly, around, through?.blocks ?? []), [code, list, assembly, around, through]);
  const onPath = useMemo(() => ({ blocks: new Set(path?.blocks ?? []), edges: new Set(path?.edges ?? []) }), [path]);
  const fit = (least: number) => box.current && setZoom(Math.min(1, Math.max(least, (box.current.clientWidth - 24) / layout.width)));
  // Readable at first; `fit` shows all of it.
  useLayoutEffect(() => { fit(0.62); }, [layout]);
  useEffect(() => {
    const hottest = layout.nodes.reduce((a, b) => (num(code.blockCount[b.id]) > num(code.blockCount[a.id]) ? b : a));
    const node = layout.nodes.find((n) => n.id === (selection.block ?? (path ? path.blocks[0] : large ? hottest.id : 0)));
    const element = box.current;
    if (node && element) element.scrollTo({ left: (node.x + node.width / 2) * zoom - element.clientWidth / 2, top: node.y * zoom - 60 });
  }, [layout, selection.block, path]);
  const key = (event: KeyboardEvent) => {
    if (event.key === '+' || event.key === '=') setZoom((z) => Math.min(3, z * 1.25));
    else if (event.key === '-') setZoom((z) => Math.max(0.1, z / 1.25));
    else if (event.key === '0') fit(0.05);
  };
  const wheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    setZoom((z) => Math.min(3, Math.max(0.1, z * (event.deltaY < 0 ? 1.1 : 0.9))));
  };
  return (
    <div class="stack">
      <div class="bar-row small">
        <button type="button" onClick={() => setZoom((z) => Math.max(0.1, z / 1.25))} aria-label="smaller">−</button>
        <button type="button" onClick={() => setZoom((z) => Math.min(3, z * 1.25))} aria-label="larger">+</button>
        <button type="button" onClick={() => fit(0.05)}>fit</button>
        <button type="button" aria-pressed={assembly} onClick={() => setAssembly(!assembly)}>assembly</button>
        {layout.hidden > 0 && <span class="warn-text">The {count(layout.nodes.length)} most executed of {count(code.blockKind.length)} blocks; select a block or a path to see more.</span>}
      </div>
      <div class="graph" ref={box} tabIndex={0} role="region" aria-label="Control-flow graph" onKeyDown={key} onWheel={wheel}>
        <svg width={layout.width * zoom} height={layout.height * zoom} viewBox={`0 0 ${layout.width} ${layout.height}`} role="group" aria-label="Control-flow graph">
          <defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0L8,4L0,8z" fill="context-stroke" /></marker></defs>
          {layout.edges.map((e) => {
            const c = code.edgeCount[e.id];
            const name = `edge ${code.edgeFrom[e.id]} to ${code.edgeTo[e.id]}, ${EDGE_KINDS[code.edgeKind[e.id]!]}, ${count(c)} times`;
            const act = () => select(selection.edge === e.id ? { path: selection.path } : { edge: e.id, path: selection.path });
            const width = num(c) === 0 ? 1 : 1 + 3 * Math.pow(num(c) / most, 0.35);
            return (
              <g key={'e' + e.id} class={`edge ${heat(c, most)}` + (onPath.edges.has(e.id) ? ' on-path' : '') + (selection.edge === e.id ? ' selected' : '')}
                role="button" tabindex={0} aria-label={name} onClick={act} onKeyDown={pressed(act)}>
                <path class="reach" d={curve(e.points)} /><path class="stroke" d={curve(e.points)} stroke-width={width.toFixed(2)} marker-end="url(#arrow)" />
                <text x={e.label.x} y={e.label.y + 4}>{num(c) === 0 && c != null ? '0' : short(c)}</text>
              </g>);
          })}
          {layout.nodes.map((n) => <Block key={'n' + n.id} n={n} code={code} most={most} selection={selection} on={onPath.blocks.has(n.id)} />)}
        </svg>
      </div>
    </div>
  );
}

function Block({ n, code, most, selection, on }: { n: Node; code: Code; most: number; selection: Selection; on: boolean }) {
  const kind = code.blockKind[n.id]!;
  const mark = (on ? ' on-path' : '') + (selection.block === n.id ? ' selected' : '');
  const c = code.blockCount[n.id];
  if (kind !== 2) {
    return <g class={'node helper' + mark} transform={`translate(${n.x},${n.y})`}><rect width={n.width} height={n.height} rx="12" /><text x={n.width / 2} y="16" text-anchor="middle">{BLOCK_KINDS[kind]}</text></g>;
  }
  const act = () => select(selection.block === n.id ? { path: selection.path } : { block: n.id, path: selection.path });
  return (
    <g class={`node ${heat(c, most)}` + mark} transform={`translate(${n.x},${n.y})`} role="button" tabindex={0}
      aria-label={`block ${n.id}, executed ${count(c)} times`} onClick={act} onKeyDown={pressed(act)}>
      <rect class="body" width={n.width} height={n.height} rx="4" />
      <rect class="cap" width={n.width} height="22" rx="4" />
      <text class="title" x="8" y="15">{n.id} <tspan class="faint">{offset(code.offset[code.blockFirst[n.id]!] ?? 0)}</tspan></text>
      <text class="title" x={n.width - 8} y="15" text-anchor="end">{num(c) === 0 && c != null ? 'never' : count(c)}</text>
      {n.texts.map((t, i) => <text key={i} class="text" x="8" y={22 + (i + 1) * TEXT}>{visible(t.length > 36 ? t.slice(0, 35) + '…' : t)}</text>)}
      {n.more > 0 && <text class="text faint" x="8" y={22 + (n.texts.length + 1) * TEXT}>⋯ {n.more} more</text>}
    </g>
  );
}
