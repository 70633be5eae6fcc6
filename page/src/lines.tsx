// Source lines and instructions: panes of rows of equal height, of which only those on the screen are drawn.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Word } from './highlight';
import { visible } from './format';
import { useWindow } from './ui';

export const LINE = 19;

export function Words({ words }: { words: Word[] }) {
  return <>{words.map((w, i) => (w.kind ? <span key={i} class={'w-' + w.kind}>{visible(w.text)}</span> : visible(w.text)))}</>;
}

export interface Scroll { to: number; nonce: unknown }

export function Lines({ label, columns, total, row, scroll, rail, onKey }: {
  label: string; columns: [string, string, string?][];  // class, heading, explanation
  total: number; row: (i: number) => ComponentChildren; scroll?: Scroll | null; rail?: ComponentChildren;
  onKey?: (event: KeyboardEvent) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [start, end] = useWindow(box, total, LINE);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !scroll || scroll.to < 0) return;
    const top = scroll.to * LINE;
    if (top < element.scrollTop + 2 * LINE || top > element.scrollTop + element.clientHeight - 4 * LINE) {
      element.scrollTop = Math.max(0, top - element.clientHeight / 3);
    }
  }, [scroll?.to, scroll?.nonce]);
  const rows = [];
  for (let i = start; i < end; ++i) rows.push(row(i));
  return (
    <div class="pane">
    <div class={'line cols' + (rail ? ' railed' : '')} aria-hidden="true">{columns.map(([name, text, title]) => <span key={text} class={name} title={title}>{text}</span>)}</div>
    <div class="lines" ref={box} tabIndex={0} role="region" aria-label={label} onKeyDown={onKey}>
      <div class="sheet" style={{ height: `${total * LINE}px` }}>
        {rail}
        <div class="drawn" style={{ transform: `translateY(${start * LINE}px)` }}>{rows}</div>
      </div>
    </div>
    </div>
  );
}
