// What all views share: names, bars, and a table that draws only the rows on the screen.
import type { ComponentChildren, RefObject } from 'preact';
import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Count, Data } from './data';
import { count, num, percent, shortName, visible } from './format';
import { heat } from './heat';
import { go, link } from './router';

// Null until the index is unpacked; only the overview and the search are shown before.
export const DataContext = createContext<Data | null>(null);
export const useData = (): Data => useContext(DataContext)!;

export function useLoaded<T>(load: () => Promise<T>, key: unknown): T | null {
  const [state, set] = useState<{ key: unknown; value: T } | null>(null);
  useEffect(() => {
    let wanted = true;
    load().then((value) => wanted && set({ key, value }));
    return () => { wanted = false; };
  }, [key]);
  return state && state.key === key ? state.value : null;
}

export function FunctionName({ f, tab = '' }: { f: number; tab?: string }) {
  const data = useData();
  const title = data.title(f);
  return <a class="name" href={link('function', data.keyOf(f), tab)} title={visible(title.slice(0, 2000))}><bdi>{shortName(title)}</bdi></a>;
}

export function Bar({ part, whole, kind = 'hot' }: { part: number; whole: number; kind?: 'hot' | 'cover' | 'lost' }) {
  const width = whole > 0 ? Math.max(part > 0 ? 1 : 0, (100 * part) / whole) : 0;
  return <span class={`bar ${kind}`} aria-hidden="true"><span style={{ width: `${Math.min(100, width)}%` }} /></span>;
}

export function Share({ part, whole }: { part: Count; whole: number }) {
  if (part == null) return <span class="dim">?</span>;
  return <span class="share"><Bar part={num(part)} whole={whole} /><span>{percent(num(part), whole)}</span></span>;
}

export function Heat({ value, most }: { value: Count; most: number }) {
  return <span class={`cell ${heat(value, most)}`}>{value === 0 ? 'never' : count(value)}</span>;
}

export function Panel({ title, more, children, class: name = '' }: { title: string; more?: ComponentChildren; children: ComponentChildren; class?: string }) {
  return <section class={`panel ${name}`}><header><h2>{title}</h2>{more}</header>{children}</section>;
}

export interface Column {
  key: string; label: string; title?: string; left?: boolean; wide?: boolean;
  value: (row: number) => number | string;  // to sort by
  cell: (row: number) => ComponentChildren;
}

// Rows [start, end) of `total` that are on the screen, and some around them.
export function useWindow(scroller: RefObject<HTMLElement>, total: number, height: number, above = 0): [number, number] {
  const [range, set] = useState<[number, number]>([0, Math.min(total, 80)]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const update = () => {
      if (matchMedia('print').matches) return;
      const start = Math.max(0, Math.floor((element.scrollTop - above) / height) - 20);
      const end = Math.min(total, start + Math.ceil(element.clientHeight / height) + 40);
      set((old) => (old[0] === start && old[1] === end ? old : [start, end]));
    };
    const all = () => set([0, Math.min(total, 3000)]);
    update();
    element.addEventListener('scroll', update, { passive: true });
    const sizes = new ResizeObserver(update);
    sizes.observe(element);
    addEventListener('beforeprint', all);
    addEventListener('afterprint', update);
    return () => {
      element.removeEventListener('scroll', update);
      sizes.disconnect();
      removeEventListener('beforeprint', all);
      removeEventListener('afterprint', update);
    };
  }, [total, height, above, scroller.current]);
  return [Math.min(range[0], total), Math.min(range[1], total)];
}

const ROW = 26;

export function Table({ name, columns, rows, sort, open, ascending = false }: {
  name: string; columns: Column[]; rows: number[]; sort: string; open?: (row: number) => string | null; ascending?: boolean;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const [order, setOrder] = useState({ key: sort, up: ascending });
  const [current, setCurrent] = useState(0);
  const sorted = useMemo(() => {
    const column = columns.find((c) => c.key === order.key) ?? columns[0]!;
    const values = new Map(rows.map((r) => [r, column.value(r)]));
    const sign = order.up ? 1 : -1;
    return [...rows].sort((a, b) => {
      const x = values.get(a)!, y = values.get(b)!;
      return x < y ? -sign : x > y ? sign : a - b;
    });
  }, [rows, order, name]);
  const [start, end] = useWindow(scroller, sorted.length, ROW);
  const press = (column: Column) => setOrder((o) => ({ key: column.key, up: o.key === column.key ? !o.up : !!column.left }));
  const move = (to: number) => {
    const next = Math.max(0, Math.min(sorted.length - 1, to));
    setCurrent(next);
    const box = scroller.current!;
    const top = next * ROW;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + 3 * ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + 3 * ROW - box.clientHeight;
    const row = () => box.querySelector<HTMLElement>(`tr[data-at="${next}"]`);
    // A row that was not on the screen is there after the next drawing.
    if (row()) row()!.focus({ preventScroll: true });
    else requestAnimationFrame(() => requestAnimationFrame(() => row()?.focus({ preventScroll: true })));
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 20, PageUp: -20 };
    if (event.key in steps) move(current + steps[event.key]!);
    else if (event.key === 'Home') move(0);
    else if (event.key === 'End') move(sorted.length - 1);
    else if (event.key === 'Enter' && open && (event.target as Element).tagName === 'TR') {
      const to = open(sorted[current]!);
      if (to) go(to);
    } else return;
    event.preventDefault();
  };
  return (
    <div class="scroll" ref={scroller} onKeyDown={key} data-table={name} tabIndex={0} role="region" aria-label={name}>
      <table class="rows" aria-label={name} aria-rowcount={sorted.length + 1}>
        <thead><tr>{columns.map((c) => (
          <th key={c.key} scope="col" class={`c-${c.key}` + (c.left ? ' left' : '') + (c.wide ? ' wide' : '')} title={c.title}
            aria-sort={order.key === c.key ? (order.up ? 'ascending' : 'descending') : undefined}>
            <button type="button" onClick={() => press(c)}>{c.label}<i aria-hidden="true">{order.key === c.key ? (order.up ? ' ▴' : ' ▾') : ''}</i></button>
          </th>))}</tr></thead>
        <tbody>
          {start > 0 && <tr aria-hidden="true" style={{ height: `${start * ROW}px` }} />}
          {sorted.slice(start, end).map((row, i) => (
            <tr key={row} data-at={start + i} tabIndex={start + i === current ? 0 : -1} aria-rowindex={start + i + 2}
              onFocus={() => setCurrent(start + i)} onDblClick={() => { const to = open?.(row); if (to) go(to); }}>
              {columns.map((c) => <td key={c.key} class={`c-${c.key}` + (c.left ? ' left' : '')}>{c.cell(row)}</td>)}
            </tr>))}
          {end < sorted.length && <tr aria-hidden="true" style={{ height: `${(sorted.length - end) * ROW}px` }} />}
        </tbody>
      </table>
      {sorted.length === 0 && <p class="empty">Nothing to show.</p>}
    </div>
  );
}
