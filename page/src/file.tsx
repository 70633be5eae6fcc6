// A whole source file with counts, and a strip beside it that shows where it is hot.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { FileText } from './data';
import { count, num, percent, visible } from './format';
import { heat } from './heat';
import { highlightC, isC } from './highlight';
import { LINE, Lines, Words } from './lines';
import { fileRows, lineKey, type SourceRow } from './listing';
import { go, link, setQuery, type Place } from './router';
import { FunctionName, useData, useLoaded } from './ui';

function rowsOf(file: number, name: string, text: FileText): SourceRow[] {
  const known = [...fileRows(file, name, text, 0, Infinity).values()].sort((a, b) => a.line - b.line);
  const executed = new Map(text.line.map((line, i) => [line, text.executed[i]]));
  const rows: SourceRow[] = [];
  let last = 0;
  for (const row of known) {
    if (row.line > last + 1) rows.push({ kind: 'gap', file, line: last + 1, last: row.line - 1 });
    if (executed.has(row.line)) row.here = num(executed.get(row.line));
    rows.push(row);
    last = row.line;
  }
  return rows;
}

// Each row of the file in one column of pixels.
function Strip({ rows, most, jump }: { rows: SourceRow[]; most: number; jump: (row: number) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const draw = () => {
      const element = canvas.current!;
      const height = (element.height = element.clientHeight);
      const paint = element.getContext('2d')!;
      const style = getComputedStyle(element);
      paint.clearRect(0, 0, 14, height);
      const hottest = new Map<number, number>();
      rows.forEach((row, i) => row.here !== undefined && hottest.set(Math.floor((i * height) / rows.length), Math.max(row.here, hottest.get(Math.floor((i * height) / rows.length)) ?? 0)));
      for (const [y, value] of hottest) {
        paint.fillStyle = style.getPropertyValue(value === 0 ? '--never' : '--' + heat(value, most));
        paint.fillRect(2, y, 10, Math.max(2, height / rows.length));
      }
    };
    draw();
    const sizes = new ResizeObserver(draw);
    sizes.observe(canvas.current!);
    addEventListener('chord-theme', draw);
    return () => { sizes.disconnect(); removeEventListener('chord-theme', draw); };
  }, [rows, most]);
  return <canvas class="strip" ref={canvas} width="14" aria-hidden="true" onClick={(e) => jump(Math.floor((e.offsetY / e.currentTarget.clientHeight) * rows.length))} />;
}

export function FileView({ place }: { place: Place }) {
  const data = useData();
  const files = data.index.files;
  const f = files.path.indexOf(place.argument);
  const text = useLoaded(() => (f < 0 ? Promise.resolve(null) : data.file(f)), f);
  const rows = useMemo(() => (text ? rowsOf(f, files.name[f]!, text) : []), [text]);
  const most = useMemo(() => rows.reduce((m, r) => Math.max(m, r.here ?? 0), 1), [rows]);
  const functions = useMemo(() => data.index.functions.place.flatMap((p, i) => (p && p[0] === f ? [i] : [])), [data, f]);
  const hot = useMemo(() => rows.map((_, i) => i).filter((i) => (rows[i]!.here ?? 0) > 0).sort((a, b) => rows[b]!.here! - rows[a]!.here!).slice(0, 50), [rows]);
  if (f < 0) return <div class="page"><h1>No such file</h1><p>The program has no code from <bdi>{visible(place.argument.slice(0, 300))}</bdi>.</p></div>;
  const line = Number(place.query.get('line') ?? 0);
  const to = rows.findIndex((r) => r.kind === 'line' && r.line >= line);
  const isSource = isC(files.name[f]!);
  const byLine = new Map(functions.map((i) => [data.index.functions.place[i]![1], i]));
  const next = (step: number) => {
    const at = hot.findIndex((i) => rows[i]!.line === line);
    const row = hot[at < 0 ? 0 : (at + step + hot.length) % hot.length];
    if (row !== undefined) setQuery({ line: rows[row]!.line });
  };
  const row = (i: number) => {
    const r = rows[i]!;
    if (r.kind === 'gap') return <div key={i} class="line gap">⋯ {count(r.last! - r.line + 1)} lines far from any code</div>;
    const here = byLine.get(r.line);
    return (
      <div key={i} class={'line' + (r.line === line ? ' selected' : '') + (r.here === 0 ? ' never' : r.here ? ' ran' : '')} data-line={lineKey(f, r.line)} onClick={() => setQuery({ line: r.line })}>
        <span class="n count">{r.count === undefined ? '' : r.count === 0 ? 'never' : count(r.count)}</span>
        <span class={'n cell ' + (r.here === undefined ? '' : heat(r.here, most))}>{r.here === undefined || r.here === 0 ? '' : percent(r.here, num(data.index.instructions))}</span>
        <span class="no">{r.line}</span>
        <code>{r.text === undefined ? <span class="dim">(source not at hand)</span> : isSource ? <Words words={highlightC(r.text, !!r.inComment)} /> : visible(r.text)}</code>
        {here !== undefined && <a class="goto" href={link('function', data.keyOf(here))} title="open the function" aria-label={`open ${visible(data.title(here).slice(0, 100))}`} tabIndex={-1}>→ function</a>}
      </div>
    );
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'n' || event.key === 'N') { next(event.key === 'n' ? 1 : -1); event.preventDefault(); }
    if (event.key === 'Enter') { const at = functions.filter((i) => data.index.functions.place[i]![1] <= line).sort((a, b) => data.index.functions.place[b]![1] - data.index.functions.place[a]![1])[0]; if (at !== undefined) go(link('function', data.keyOf(at))); }
  };
  return (
    <div class="page full function">
      <div class="title"><h1><bdi>{visible(files.shown[f]!)}</bdi></h1>
        <p class="facts"><span><b>{count(files.executed[f])}</b> instructions executed ({percent(num(files.executed[f]), num(data.index.instructions))})</span>
          <span><b>{count(files.ran[f])}</b> of <b>{count(files.lines[f])}</b> lines with code ran ({percent(files.ran[f]!, files.lines[f]!)})</span>
          {files.length[f] === 0 && <span class="warn-text">the source was not at hand when the report was made</span>}
          <button type="button" onClick={() => next(1)}>next hot line (n)</button></p></div>
      <div class="panes file-panes">
        <div class="with-strip"><Lines label="Source" columns={[['n count', 'arrivals'], ['n', 'share'], ['no', 'line'], ['', 'source']]} total={rows.length} row={row} scroll={{ to, nonce: line }} onKey={key} /><Strip rows={rows} most={most} jump={(i) => rows[i] && setQuery({ line: rows[i]!.line })} /></div>
        <aside class="stack" aria-label="Functions of the file"><h2>Functions</h2><div class="scroll" tabIndex={0} role="region" aria-label="Functions of the file"><ul class="names">{functions.slice(0, 500).map((i) => (
          <li key={i} style={{ height: `${LINE + 3}px` }}><span class="dim">{percent(num(data.index.functions.executed[i]), num(data.index.instructions))}</span> <FunctionName f={i} /></li>))}</ul></div></aside>
      </div>
    </div>
  );
}
