// Numbers and names as people read them.
import type { Count } from './data';

// 1 call, 2 calls.
export function counted(c: Count | undefined, one: string): string {
  return `${count(c)} ${one}${num(c) === 1 ? '' : 's'}`;
}

// For arithmetic, scales and order only: what is shown comes from `count`.
export function num(c: Count | undefined): number {
  return c == null ? 0 : Number(c);
}

export function count(c: Count | undefined): string {
  if (c == null) return '?';
  return String(c).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  const p = (100 * part) / whole;
  if (part !== 0 && p < 0.05) return '<0.1%';
  if (part !== whole && p >= 99.95) return '>99.9%';
  return p.toFixed(1) + '%';
}

export function change(before: Count, now: Count): string {
  if (before == null || now == null) return '';
  const d = BigInt(now) - BigInt(before);
  return d === 0n ? '=' : (d > 0n ? '+' : '−') + count(String(d < 0n ? -d : d));
}

// 1.2k, 3.4M: where there is no room.
export function short(c: Count | undefined): string {
  if (c == null) return '?';
  const n = num(c);
  if (n < 10000) return count(c);
  for (const [unit, size] of [['P', 1e15], ['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e3]] as const) {
    if (n >= size) return (n / size).toFixed(n / size < 10 ? 2 : n / size < 100 ? 1 : 0) + unit;
  }
  return count(c);
}

// Characters that show nothing themselves but change how others are shown.
const INVISIBLE = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
export function visible(text: string): string {
  return text.replace(INVISIBLE, (c) => `\\u{${c.codePointAt(0)!.toString(16).toUpperCase()}}`);
}

const SHORT_NAMES: [RegExp, string][] = [
  [/std::__cxx11::/g, 'std::'],
  [/std::basic_string<char, std::char_traits<char>, std::allocator<char> ?>/g, 'std::string'],
  [/std::basic_string_view<char, std::char_traits<char> ?>/g, 'std::string_view'],
  [/std::basic_(i|o|io)stream<char, std::char_traits<char> ?>/g, 'std::$1stream'],
  [/\(anonymous namespace\)/g, '{anonymous}'],
  [/\[abi:cxx11\]/g, ''],
];

// Arguments that everybody leaves out, where they are the last.
const DEFAULTS = ['std::allocator', 'std::equal_to', 'std::hash', 'std::less', 'std::default_delete', 'std::char_traits'];

function familiar(name: string): string {
  let s = name;
  for (const [long, brief] of SHORT_NAMES) s = s.replace(long, brief);
  if (!s.includes('std::')) return s;
  for (const argument of DEFAULTS) s = withoutArgument(s, `, ${argument}<`);
  return s.replaceAll(' >', '>');
}

function withoutArgument(name: string, start: string): string {
  let s = name;
  for (let at = s.indexOf(start); at >= 0; at = s.indexOf(start, at)) {
    const end = closing(s, at + start.length - 1);
    if (end < 0) return s;
    if (/^ *>/.test(s.slice(end + 1))) s = s.slice(0, at) + s.slice(end + 1);
    else at = end;
  }
  return s;
}

// Where the bracket that opens at `open` closes; -1 if it does not, or an operator's name could be taken for one.
function closing(s: string, open: number): number {
  let level = 0;
  for (let i = open; i < s.length && !s.startsWith('operator', i); ++i) {
    if ('<([{'.includes(s[i]!)) ++level;
    else if ('>)]}'.includes(s[i]!) && --level === 0) return i;
  }
  return -1;
}

// A whole name, with what everybody knows by its short form.
export function familiarName(name: string): string {
  return visible(familiar(name));
}

// A name that fits a row: arguments of templates and functions shortened, inner ones first.
export function shortName(name: string, wanted = 90): string {
  const room = innerWidth < 600 ? Math.min(wanted, 24) : wanted;
  if (name.length > 4000) return visible(name.slice(0, room - 1)) + '…';
  let s = familiar(name);
  for (let depth = 3; depth >= 1 && s.length > room; --depth) s = shortenInside(s, '<', '>', depth);
  if (s.length > room) s = shortenInside(s, '(', ')', 1);
  if (s.length > room) s = withoutResult(s);
  if (s.length > room) s = s.replace(/( \[\.[\w.]+\])+$/, '');  // [.isra.0]: a copy of the compiler's
  s = withMostScopes(s, room);
  return visible(s.length > room ? s.slice(0, room - 1) + '…' : s);
}

// What a function is called says more than where it is from, whose it is more than that it takes nothing and is const: "…::Circle::area".
function withMostScopes(s: string, room: number): string {
  const fit = (name: string) => {
    let text = name, removed = 0;
    for (let end = scopeEnd(text); text.length > room && end > 0; end = scopeEnd(text), ++removed) text = '…::' + text.slice(end);
    return { text, removed };
  };
  let best = fit(s);
  const unqualified = s.replace(/\) const$/, ')');
  for (const shorter of [unqualified, /operator\(\)$/.test(unqualified) ? unqualified : unqualified.replace(/\(…?\)$/, '')]) {
    const other = fit(shorter);
    if (other.text.length <= room && (best.text.length > room || other.removed < best.removed)) best = other;
  }
  return best.text;
}

// What a call of it looks like: without what it returns, scopes, arguments and parameters.
export function calledName(name: string): string {
  let s = withoutResult(familiar(name.slice(0, 4000)));
  const operator = s.indexOf('operator');
  if (operator >= 0) return visible(s.slice(operator, s.indexOf('(', operator + 10) >>> 0).slice(0, 48));
  for (let end = scopeEnd(s); end > 0; end = scopeEnd(s)) s = s.slice(end);
  return visible(s.replace(/^(~?[^<(]+).*$/s, '$1').slice(0, 48));
}

// `void f<int>(int)` without what it returns: templates' names have that.
function withoutResult(s: string): string {
  let level = 0;
  let start = 0;
  for (let i = 0; i < s.length && !s.startsWith('operator', i); ++i) {
    if (level === 0 && s[i] === '(' && !s.startsWith('(anonymous', i)) break;
    if ('<([{'.includes(s[i]!)) ++level;
    else if ('>)]}'.includes(s[i]!)) --level;
    else if (level === 0 && s[i] === ' ') start = i + 1;
  }
  return s.slice(start);
}

// Where the first scope of a name ends, after its "::"; 0 if it has none that can go.
function scopeEnd(s: string): number {
  let level = 0;
  for (let i = s.startsWith('…::') ? 3 : 0; i + 1 < s.length; ++i) {
    if (s.startsWith('operator', i)) return 0;
    if ('<([{'.includes(s[i]!)) ++level;
    else if ('>)]}'.includes(s[i]!)) --level;
    else if (level === 0 && s[i] === ':' && s[i + 1] === ':') return i + 2;
  }
  return 0;
}

function shortenInside(s: string, open: string, close: string, depth: number): string {
  if (/operator\s*[<>(]/.test(s)) return s;
  let out = '';
  let level = 0;
  for (let i = 0; i < s.length; ++i) {
    const c = s[i]!;
    if (c === open && s[i + 1] === close) {
      if (level < depth) out += open + close;
      ++i;
    } else if (c === open && ++level === depth) out += open + '…';
    else if (c === close && level > 0 && level-- === depth) out += close;
    else if (level < depth) out += c;
  }
  return out;
}

export function offset(n: number): string {
  return '+0x' + n.toString(16);
}
