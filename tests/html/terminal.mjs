// A picture of a terminal: what `tmux capture-pane -e -p` printed, drawn by Chromium.
//   node terminal.mjs CAPTURED PICTURE.png COLUMNS [dark]
import { readFileSync } from 'node:fs';
import { browser } from './browser.mjs';

const [captured, picture, columns, theme] = process.argv.slice(2);
const dark = theme === 'dark';
const COLORS = dark ? ['#1c1e22', '#ff7b72', '#7ee787', '#e3b341', '#79c0ff', '#d2a8ff', '#76e3ea', '#c9d1d9']
  : ['#24292f', '#b3261e', '#116329', '#8a5a00', '#0550ae', '#6f42c1', '#1b7c83', '#d0d7de'];
const paper = dark ? '#0d1117' : '#ffffff', ink = dark ? '#e6edf3' : '#24292f';

// One of the 256 colours of terminals.
function color(n) {
  if (n < 16) return COLORS[n % 8];
  if (n >= 232) return `rgb(${Array(3).fill((n - 232) * 10 + 8)})`;
  const level = (k) => [0, 95, 135, 175, 215, 255][k];
  return `rgb(${level(Math.floor((n - 16) / 36))},${level(Math.floor((n - 16) / 6) % 6)},${level((n - 16) % 6)})`;
}

function apply(style, codes) {
  for (let i = 0; i < codes.length; ++i) {
    const code = codes[i];
    if (code === 0) for (const key of Object.keys(style)) delete style[key];
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 4) style.line = true;
    else if (code === 7) style.reverse = true;
    else if (code === 22) { delete style.bold; delete style.dim; }
    else if (code === 24) delete style.line;
    else if (code === 27) delete style.reverse;
    else if (code >= 30 && code <= 37) style.ink = color(code - 30);
    else if (code >= 90 && code <= 97) style.ink = color(code - 90);
    else if (code >= 40 && code <= 47) style.paper = color(code - 40);
    else if (code === 39) delete style.ink;
    else if (code === 49) delete style.paper;
    else if ((code === 38 || code === 48) && codes[i + 1] === 5) { style[code === 38 ? 'ink' : 'paper'] = color(codes[i + 2]); i += 2; }
  }
}

const escape = (text) => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
function span(text, style) {
  let [front, back] = [style.ink ?? ink, style.paper ?? 'transparent'];
  if (style.reverse) [front, back] = [back === 'transparent' ? paper : back, front];
  return `<span style="color:${front};background:${back};${style.bold ? 'font-weight:bold;' : ''}${style.dim ? 'opacity:.65;' : ''}${style.line ? 'text-decoration:underline;' : ''}">${escape(text)}</span>`;
}

const style = {};
const html = readFileSync(captured, 'utf8').replace(/\n+$/, '').split('\n').map((line) => {
  let out = '', at = 0;
  for (const match of line.matchAll(/\x1b\[([\d;]*)m|\x1b\(B|\x0e|\x0f/g)) {
    out += span(line.slice(at, match.index), style);
    at = match.index + match[0].length;
    if (match[1] !== undefined) apply(style, match[1].split(';').map(Number));
  }
  return `<div style="min-height:18px">${out}${span(line.slice(at), style)}</div>`;
}).join('');
const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 }, deviceScaleFactor: 1.5 })).newPage();
await page.setContent(`<body style="margin:0;background:${paper}"><pre id="t" style="display:inline-block;margin:0;padding:12px;width:${columns}ch;background:${paper};color:${ink};font:13px/18px 'DejaVu Sans Mono','Liberation Mono',monospace;white-space:pre">${html}</pre>`);
await page.locator('#t').screenshot({ path: picture });
await browser.close();
