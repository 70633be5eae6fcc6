// A function's source as rows: the lines its code comes from, file by file, its own file first, with lines
// between them and gaps where they are far apart.
import { inlinedCalls, type Code, type Count, type Data, type FileText } from './data';
import { num } from './format';
import { commentStates, isC } from './highlight';

export interface SourceRow {
  kind: 'file' | 'line' | 'gap';
  file: number;
  line: number;           // of a gap: the first line left out
  last?: number;          // of a gap
  text?: string;
  inComment?: boolean;
  count?: Count;          // arrivals at the line, over the whole program; undefined: it holds no code
  here?: number;          // instructions executed of the line in this function; undefined: no code here
  before?: number;        // the same in the older profile
  inlined?: Map<number, number>;  // functions that were inlined here, by row of Index.inlined: instructions executed, with what is inlined into them
  called?: number;        // instructions executed of all that was inlined here
}

export interface Listing { rows: SourceRow[]; at: Map<string, number>; mostHere: number }

export const lineKey = (file: number, line: number) => `${file}:${line}`;

const FAR = 24;     // lines without code between two that have some: more are left out
const AROUND = 2;   // lines shown before and after
const LONGEST_COMMENT = 200;  // lines looked back for where a comment began

interface Part { here: Map<number, number>; before: Map<number, number>; inlined: Map<number, Map<number, number>>; called: Map<number, number>; executed: number }

function partsOf(code: Code): Map<number, Part> {
  const parts = new Map<number, Part>();
  const partOf = (file: number) => {
    let part = parts.get(file);
    if (!part) parts.set(file, (part = { here: new Map(), before: new Map(), inlined: new Map(), called: new Map(), executed: 0 }));
    return part;
  };
  code.line.forEach((line, i) => {
    if (code.inline[i]! >= 0) addInlined(code, i, partOf);
    if (line === 0) return;
    const part = partOf(code.file[i]!);
    part.here.set(line, (part.here.get(line) ?? 0) + num(code.count[i]));
    if (code.oldCount) part.before.set(line, (part.before.get(line) ?? 0) + num(code.oldCount[i]));
    part.executed += num(code.count[i]);
  });
  return parts;
}

// To the lines that the calls are written at. Where a function is inlined into itself at the same line, no instruction counts twice.
function addInlined(code: Code, i: number, partOf: (file: number) => Part): void {
  const seen = new Set<string>();
  for (const call of inlinedCalls(code, i)) {
    const { site, line, function: row } = code.inlined!;
    const key = `${site[call]}:${line[call]}:${row[call]}`;
    if (line[call] === 0 || seen.has(key)) continue;
    seen.add(key);
    const { inlined, called } = partOf(site[call]!);
    const place = `${site[call]}:${line[call]}`;
    if (!seen.has(place)) called.set(line[call]!, (called.get(line[call]!) ?? 0) + num(code.count[i]));
    seen.add(place);
    let functions = inlined.get(line[call]!);
    if (!functions) inlined.set(line[call]!, (functions = new Map()));
    functions.set(row[call]!, (functions.get(row[call]!) ?? 0) + num(code.count[i]));
  }
}

export function fileRows(file: number, name: string, text: FileText, first: number, last: number): Map<number, SourceRow> {
  const counts = new Map(text.line.map((line, i) => [line, text.count[i] === 0 ? text.executed[i]! : text.count[i]!]));
  // Of lines that hold nothing but calls that were inlined: arrivals there.
  text.calledLine?.forEach((line, i) => counts.set(line, text.calledCount![i]!));
  const rows = new Map<number, SourceRow>();
  text.first.forEach((start, s) => {
    const lines = text.text[s]!;
    const from = Math.max(0, first - start), to = Math.min(lines.length, last - start + 1);
    if (from >= to) return;
    const back = Math.max(0, from - LONGEST_COMMENT);
    const inside = isC(name) ? commentStates(lines.slice(back, to)) : [];
    for (let i = from; i < to; ++i) {
      rows.set(start + i, { kind: 'line', file, line: start + i, text: lines[i]!, inComment: inside[i - back], count: counts.get(start + i) });
    }
  });
  for (const [line, n] of counts) {
    if (line >= first && line <= last && !rows.has(line)) rows.set(line, { kind: 'line', file, line, count: n });
  }
  return rows;
}

export async function listing(data: Data, code: Code): Promise<Listing> {
  const parts = partsOf(code);
  const own = code.file.find((_, i) => code.line[i] !== 0) ?? -1;
  const order = [...parts.keys()].sort((a, b) => (a === own ? -1 : b === own ? 1 : parts.get(b)!.executed - parts.get(a)!.executed));
  const rows: SourceRow[] = [];
  for (const file of order) {
    const part = parts.get(file)!;
    const lines = [...new Set([...part.here.keys(), ...part.inlined.keys()])].sort((a, b) => a - b);
    const text = await data.file(file);
    const known = fileRows(file, data.index.files.name[file]!, text, lines[0]! - AROUND, lines[lines.length - 1]! + AROUND);
    rows.push({ kind: 'file', file, line: 0 });
    let shown = Math.max(0, lines[0]! - AROUND - 1);
    for (const line of lines) {
      if (line - shown > FAR) {
        shown = add(rows, known, shown + 1, Math.min(shown + AROUND, line - 1));
        const next = line - AROUND - 1;
        rows.push({ kind: 'gap', file, line: shown + 1, last: next });
        shown = next;
      }
      shown = add(rows, known, shown + 1, line);
      const row = known.get(line);
      if (row) {
        row.here = part.here.get(line);
        row.inlined = part.inlined.get(line);
        row.called = part.called.get(line);
        if (code.oldCount) row.before = part.before.get(line);
      }
    }
    add(rows, known, shown + 1, shown + AROUND);
  }
  const at = new Map<string, number>();
  rows.forEach((row, i) => row.kind === 'line' && at.set(lineKey(row.file, row.line), i));
  return { rows, at, mostHere: Math.max(1, ...rows.map((r) => r.here ?? 0)) };
}

function add(rows: SourceRow[], known: Map<number, SourceRow>, from: number, to: number): number {
  for (let line = from; line <= to; ++line) {
    const row = known.get(line);
    if (row) rows.push(row);
  }
  return Math.max(to, from - 1);
}
