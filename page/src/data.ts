// The data inside the page: docs/html.md describes it, src/html/data writes it.

// A number that JavaScript cannot hold exactly comes as a string; one that is not known as null.
export type Count = number | string | null;

export interface Functions {
  name: string[]; demangled: (string | null)[]; unit: number[]; module: number[];
  place: ([number, number] | null)[]; calls: Count[]; executed: Count[]; instructions: number[];
  never: Count[]; blocks: number[]; blocksNever: Count[]; problem: (string | null)[];
  units: string[]; modules: string[];
}
export interface Files {
  name: string[]; shown: string[]; path: string[]; length: number[]; lines: number[]; ran: number[]; executed: Count[]; instructions: number[];
}
export interface Calls { from: number[]; to: number[]; count: Count[]; indirect: Count[]; outside: string[] }
export interface Loops {
  function: string[]; unit: string[]; fragment: string[]; offset: number[]; depth: number[]; entered: Count[];
  iterations: Count[]; executed: Count[]; share: (number | null)[]; blocks: number[]; instructions: number[];
  file: string[]; line: number[];
}
// Functions that were inlined; present only where the debug information names any.
export interface Inlined { function: string[]; demangled: (string | null)[]; sites: number[]; executed: Count[]; inclusive: Count[]; instructions: number[] }
export interface Opcodes { kind: string[]; opcode: string[]; count: Count[]; share: number[]; instructions: number[] }
export interface Skipped { name: string[]; demangled: (string | null)[]; unit: string[]; reason: string[] }
export interface Old {
  program: string; instructions: Count; runs: number; executed: Count[]; calls: Count[]; code: number[];
  gone: { name: string; demangled: string | null; executed: Count; calls: Count }[];
}
// A tree of calling contexts, parents before their children; present only where contexts were counted.
// `line`: where the parent calls it, 0 if that is not known.
export interface Contexts { parent: number[]; function: number[]; line: number[]; exclusive: Count[]; calls: Count[]; note: string }
interface Head {
  schema: number; chord: string; program: string; path: string; instructions: Count; runs: number; threads: number;
  warnings: string[];
  totals: { functions: number; called: number; calls: Count; instructions: number; never: number; blocks: number; blocksNever: number };
}
// What the first view shows, complete in itself. `old`: instructions of the older profile.
export interface Overview extends Head {
  functions: number; contexts: boolean; inlined: boolean; old?: Count;
  hottest: { key: string; title: string; executed: Count; calls: Count }[];
  concentration: { of: number[]; share: number[]; needed: [number, number, number] };
  loops: { key: string | null; title: string; line: number; executed: Count; entered: Count; iterations: Count }[]; allLoops: number;
  mix: { name: string; count: Count }[];
  files: { name: string; shown: string; path: string; lines: number; ran: number }[];
  leftOut: { reason: string; times: number }[]; problems: number;
}
export interface Index extends Head {
  functions: Functions; files: Files; calls: Calls; loops: Loops; opcodes: Opcodes; skipped: Skipped; inlined?: Inlined;
  old?: Old; contexts?: Contexts; codeStarts: number[]; fileStarts: number[];
}

export interface CodeCounts { blockCount: Count[]; edgeCount: Count[]; otherAt: number[]; otherCount: Count[] }
export interface Path {
  number?: Count; partial?: number; executed?: number; count: Count; length: number; start: string; end: string;
  blocks: number[]; edges: number[];
}
// Calls that were inlined in a function, those around others first: `parent` (−1: the function itself), `function` (a row of Index.inlined), where
// the call is written (`line` 0: not known), and from which instruction on, `at`, code comes from which `call` (−1: from none).
export interface InlinedCalls { parent: number[]; function: number[]; site: number[]; line: number[]; at: number[]; call: number[] }
interface RawCode extends CodeCounts {
  fragments: string[]; fragment?: number[]; jumpAt: number[]; jumpTo: number[]; size: number[]; file: number[]; line: number[]; text: string[];
  blockKind: number[]; blockFirst: number[]; blockLength: number[]; edgeFrom: number[]; edgeTo: number[]; edgeKind: number[];
  paths?: Path[]; pathsRan?: number; pathsPossible?: Count; noPaths?: string; old?: CodeCounts;
  inlined?: InlinedCalls;
}
export interface Code extends RawCode {
  fragment: number[]; offset: number[]; count: Count[]; oldCount?: Count[]; block: Int32Array;
  inline: Int32Array;  // by instruction: the innermost inlined call that it comes from, or −1
}
export interface FileText { first: number[]; text: string[][]; line: number[]; count: Count[]; executed: Count[]; instructions: number[]; calledLine?: number[]; calledCount?: Count[] }

export const BLOCK_KINDS = ['entry', 'exit', 'code', 'dispatch', 'landing', 'join'];
export const EDGE_KINDS = ['return', 'fall', 'taken', 'jump', 'dispatch', 'enter', 'landing', 'leave', 'tail call', 'never'];
export const NEVER_EDGE = 9;

const SCHEMA = 2;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function unpack<T>(element: Element): Promise<T> {
  const stream = new DecompressionStream('deflate');
  const writer = stream.writable.getWriter();
  // What is wrong with the data shows where it is read.
  writer.write(bytesOf(element.textContent ?? '')).catch(() => {});
  writer.close().catch(() => {});
  return (await new Response(stream.readable).json()) as T;
}

// The n-th chunk, as soon as the browser has read so far: what is still being read is the last there is.
async function chunkElement(n: number): Promise<Element> {
  const found = () => document.querySelectorAll('script.chunk')[n];
  if (document.readyState === 'loading' && !found()?.nextElementSibling) {
    await new Promise((done) => document.addEventListener('DOMContentLoaded', done, { once: true }));
  }
  const element = found();
  if (!element) throw new Error('a part of the file is missing');
  return element;
}

function running(differences: number[]): number[] {
  let sum = 0;
  return differences.map((d) => (sum += d));
}

// By instruction, from the counts of blocks and the few that differ.
function instructionCounts(raw: RawCode, counts: CodeCounts): Count[] {
  const out: Count[] = new Array(raw.size.length).fill(null);
  raw.blockLength.forEach((length, b) => out.fill(counts.blockCount[b] ?? null, raw.blockFirst[b]!, raw.blockFirst[b]! + length));
  counts.otherAt.forEach((at, i) => (out[at] = counts.otherCount[i] ?? null));
  return out;
}

// Instructions follow one another but for those in `jumpAt`.
function offsets(raw: RawCode): number[] {
  const jumps = new Map(raw.jumpAt.map((at, i) => [at, raw.jumpTo[i]!]));
  let end = 0;
  return raw.size.map((size, i) => {
    const offset = jumps.get(i) ?? end;
    end = offset + size;
    return offset;
  });
}

// Each block begins where the one before it ends, or as far from there as it says.
function firsts(raw: RawCode): number[] {
  let end = 0;
  return raw.blockFirst.map((difference, b) => {
    const first = end + difference;
    end = first + raw.blockLength[b]!;
    return first;
  });
}

function inlineOf(raw: RawCode): Int32Array {
  const inline = new Int32Array(raw.size.length).fill(-1);
  const starts = running(raw.inlined?.at ?? []);
  starts.forEach((at, n) => inline.fill(raw.inlined!.call[n]!, at, starts[n + 1] ?? inline.length));
  return inline;
}

// The inlined calls that an instruction lies in, innermost first.
export function inlinedCalls(code: Code, i: number): number[] {
  const calls: number[] = [];
  for (let call = code.inline[i]!; call >= 0; call = code.inlined!.parent[call]!) calls.push(call);
  return calls;
}

function complete(packed: RawCode): Code {
  const edgeFrom = running(packed.edgeFrom);
  const raw = { ...packed, blockFirst: firsts(packed), edgeFrom, edgeTo: packed.edgeTo.map((d, e) => edgeFrom[e]! + d) };
  const block = new Int32Array(raw.size.length).fill(-1);
  raw.blockLength.forEach((length, b) => block.fill(b, raw.blockFirst[b]!, raw.blockFirst[b]! + length));
  return {
    ...raw, block, inline: inlineOf(raw), offset: offsets(raw), file: running(raw.file), line: running(raw.line),
    fragment: raw.fragment ?? new Array(raw.size.length).fill(0), count: instructionCounts(raw, raw),
    oldCount: raw.old && instructionCounts(raw, raw.old),
  };
}

// The first view, which stands in the page as it is.
export function readOverview(): Overview {
  const overview = JSON.parse(document.getElementById('overview')?.textContent || 'null') as Overview | null;
  if (!overview) throw new Error('the page holds no data');
  if (overview.schema !== SCHEMA) throw new Error(`data of schema ${overview.schema}, which this page does not know`);
  return overview;
}

// Everything but the index is unpacked when somebody looks at it.
export class Data {
  private unpacked = new Map<number, Promise<unknown[]>>();
  private codes = new Map<number, Promise<Code>>();
  private byName = new Map<string, number[]>();

  private constructor(readonly index: Index) {
    index.functions.name.forEach((name, i) => {
      const same = this.byName.get(name);
      if (same) same.push(i);
      else this.byName.set(name, [i]);
    });
  }

  static async open(): Promise<Data> {
    return new Data(await chunkElement(0).then(unpack<Index>));
  }

  private chunk(n: number): Promise<unknown[]> {
    let found = this.unpacked.get(n);
    if (!found) this.unpacked.set(n, (found = chunkElement(n).then(unpack<unknown[]>)));
    return found;
  }

  private async record(starts: number[], first: number, n: number): Promise<unknown> {
    let chunk = starts.length - 1;
    while (chunk > 0 && starts[chunk]! > n) --chunk;
    return (await this.chunk(first + chunk))[n - starts[chunk]!];
  }

  code(f: number): Promise<Code> {
    let found = this.codes.get(f);
    if (!found) this.codes.set(f, (found = this.record(this.index.codeStarts, 1, f).then((raw) => complete(raw as RawCode))));
    return found;
  }

  async file(f: number): Promise<FileText> {
    const packed = (await this.record(this.index.fileStarts, 1 + this.index.codeStarts.length, f)) as FileText;
    return { ...packed, line: running(packed.line), calledLine: running(packed.calledLine ?? []) };
  }

  // Functions as links name them: the linkage name, with a number where several have it.
  keyOf(f: number): string {
    const name = this.index.functions.name[f]!;
    const same = this.byName.get(name)!;
    return same.length === 1 ? name : `${name}~${same.indexOf(f)}`;
  }
  findKey(key: string): number {
    const whole = this.byName.get(key);
    if (whole) return whole[0]!;
    const cut = key.lastIndexOf('~');
    return this.byName.get(key.slice(0, cut))?.[Number(key.slice(cut + 1))] ?? -1;
  }
  // The function of a name and unit, if there is only one.
  findFunction(name: string, unit: string): number {
    const found = (this.byName.get(name) ?? []).filter((f) => this.index.functions.units[this.index.functions.unit[f]!] === unit);
    return found.length === 1 ? found[0]! : -1;
  }
  inlinedTitle(row: number): string {
    return this.index.inlined!.demangled[row] ?? this.index.inlined!.function[row]!;
  }
  title(f: number): string {
    return this.index.functions.demangled[f] ?? this.index.functions.name[f]!;
  }
}
