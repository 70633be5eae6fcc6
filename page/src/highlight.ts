// Source and assembly cut into coloured words. Line by line, so only what is on the screen is looked at;
// a line inside a comment of several lines is told so by its caller.
export interface Word { text: string; kind: '' | 'comment' | 'string' | 'number' | 'keyword' | 'directive' | 'type' }

const KEYWORDS = new Set(
  ('alignas alignof and asm auto break case catch class co_await co_return co_yield concept const consteval constexpr constinit ' +
    'const_cast continue decltype default delete do dynamic_cast else enum explicit export extern final for friend goto if inline ' +
    'mutable namespace new noexcept not nullptr operator or override private protected public register reinterpret_cast requires ' +
    'restrict return sizeof static static_assert static_cast struct switch template this throw true false try typedef typeid typename ' +
    'union using virtual volatile while').split(' '));
const TYPES = new Set(
  ('void bool char short int long float double signed unsigned size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t ' +
    'uint32_t uint64_t ptrdiff_t intptr_t uintptr_t wchar_t char8_t char16_t char32_t').split(' '));

const C_WORD = /\/\/.*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$)|\b\d[\w.']*|[A-Za-z_]\w*/g;
const C_FILE = /\.(c|h|cc|hh|cpp|hpp|cxx|hxx|c\+\+|h\+\+|C|H|tcc|inc|inl|ipp)$|\/[a-z_]+$/;

export function isC(file: string): boolean {
  return C_FILE.test(file);
}

export function highlightC(line: string, inComment: boolean): Word[] {
  if (line.length > 2000) return [{ text: line, kind: '' }];
  const words: Word[] = [];
  let at = 0;
  if (inComment) {
    const end = line.indexOf('*/');
    if (end < 0) return [{ text: line, kind: 'comment' }];
    words.push({ text: line.slice(0, end + 2), kind: 'comment' });
    at = end + 2;
  }
  if (at === 0 && /^\s*#/.test(line)) {
    const end = /^\s*#\s*\w*/.exec(line)![0].length;
    words.push({ text: line.slice(0, end), kind: 'directive' });
    at = end;
  }
  C_WORD.lastIndex = at;
  for (let match = C_WORD.exec(line); match; match = C_WORD.exec(line)) {
    const kind = kindOf(match[0]);
    if (!kind) continue;
    if (match.index > at) words.push({ text: line.slice(at, match.index), kind: '' });
    words.push({ text: match[0], kind });
    at = match.index + match[0].length;
  }
  if (at < line.length) words.push({ text: line.slice(at), kind: '' });
  return words;
}

function kindOf(word: string): Word['kind'] {
  const first = word[0]!;
  if (first === '/') return 'comment';
  if (first === '"' || first === "'") return 'string';
  if (first >= '0' && first <= '9') return 'number';
  return KEYWORDS.has(word) ? 'keyword' : TYPES.has(word) ? 'type' : '';
}

// By line: does it begin inside a comment?
export function commentStates(lines: string[]): boolean[] {
  let inside = false;
  return lines.map((line) => {
    const before = inside;
    const words = inside || line.includes('/*') || line.includes('*/') ? highlightC(line, inside) : [];
    const last = words[words.length - 1];
    if (last) inside = last.kind === 'comment' && !last.text.startsWith('//') && !last.text.endsWith('*/');
    return before;
  });
}

const ASM_WORD = /%[a-z0-9()]+|\$?-?\b0x[0-9a-f]+\b|\$-?\d+\b|-?\b\d+\b|#.*$/gi;

export function highlightAsm(line: string): Word[] {
  const trimmed = line.trim().slice(0, 2000);
  const first = /^\S+/.exec(trimmed)?.[0] ?? '';
  const rest = trimmed.slice(first.length).replace(/^\s+/, '');
  const words: Word[] = [{ text: first, kind: 'keyword' }, { text: ' '.repeat(Math.max(1, 9 - first.length)), kind: '' }];
  let at = 0;
  ASM_WORD.lastIndex = 0;
  for (let match = ASM_WORD.exec(rest); match; match = ASM_WORD.exec(rest)) {
    if (match.index > at) words.push({ text: rest.slice(at, match.index), kind: '' });
    words.push({ text: match[0], kind: match[0][0] === '%' ? 'type' : match[0][0] === '#' ? 'comment' : 'number' });
    at = match.index + match[0].length;
  }
  if (at < rest.length) words.push({ text: rest.slice(at), kind: '' });
  return words;
}
