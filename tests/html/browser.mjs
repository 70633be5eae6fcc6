// What the browser tests share: a page opened with everything watched, checks, and pages with made-up data.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { join } from 'node:path';

const require = createRequire(join(process.env.NODE_MODULES, 'x.js'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });

export function check(condition, what) {
  if (condition) return;
  console.error('failed: ' + what);
  process.exit(1);
}
export function same(got, expected, what) {
  check(JSON.stringify(got) === JSON.stringify(expected), `${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`);
}

// Fails on any console error, exception, dialog, violation of the policy, or request but for the file.
export async function open(file, hash = '', options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, bypassCSP: false, ...options });
  const page = await context.newPage();
  page.on('console', (m) => check(m.type() !== 'error' && m.type() !== 'warning', `console: ${m.text()}`));
  page.on('pageerror', (e) => check(false, e.stack));
  page.on('dialog', (d) => check(false, `dialog: ${d.message()}`));
  page.on('request', (r) => check(r.url().startsWith('file://' + encodeURI(file)), `request for ${r.url()}`));
  if (options.init) await page.addInitScript(options.init);
  await page.goto('file://' + encodeURI(file) + hash);
  if (!options.static) await page.waitForSelector('#content .page');
  return page;
}

// Accessibility, colour contrast included.
export async function accessible(page, what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  for (const v of violations) console.error(`${v.id}: ${v.help}\n  ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + ' ' + (n.any[0]?.message ?? '')).join('\n  ')}`);
  check(violations.length === 0, `axe finds nothing in ${what}`);
}

// An index with nothing in it.
export function emptyIndex() {
  return {
    schema: 2, chord: '0', program: 'made-up', path: '/made-up', instructions: 0, runs: 1, threads: 1, warnings: [],
    totals: { functions: 0, called: 0, calls: 0, instructions: 0, never: 0, blocks: 0, blocksNever: 0 },
    functions: { name: [], demangled: [], unit: [], module: [], place: [], calls: [], executed: [], instructions: [], never: [], blocks: [], blocksNever: [], problem: [], units: [], modules: [] },
    files: { name: [], shown: [], path: [], length: [], lines: [], ran: [], executed: [], instructions: [] },
    calls: { from: [], to: [], count: [], indirect: [], outside: [] },
    loops: { function: [], unit: [], fragment: [], offset: [], depth: [], entered: [], iterations: [], executed: [], share: [], blocks: [], instructions: [], file: [], line: [] },
    opcodes: { kind: [], opcode: [], count: [], share: [], instructions: [] },
    skipped: { name: [], demangled: [], unit: [], reason: [] }, codeStarts: [], fileStarts: [],
  };
}

// The overview of an index, with nothing in its lists.
export function emptyOverview(index) {
  const { schema, chord, program, path, instructions, runs, threads, warnings, totals } = index;
  return {
    schema, chord, program, path, instructions, runs, threads, warnings, totals, functions: index.functions.name.length, contexts: !!index.contexts,
    hottest: [], concentration: { of: [], share: [], needed: [0, 0, 0] }, loops: [], allLoops: index.loops.function.length, mix: [], files: [], leftOut: [], problems: 0,
  };
}

// The built page with these records as its data.
export function makePage(path, chunks, overview = emptyOverview(chunks[0])) {
  const data = chunks.map((c) => `<script type="text/plain" class="chunk">${deflateSync(JSON.stringify(c)).toString('base64')}</script>`);
  const first = `<script type="application/json" id="overview">${JSON.stringify(overview).replaceAll('<', '\\u003c')}</script>`;
  writeFileSync(path, readFileSync(process.env.PAGE, 'utf8').replace('<!--chord:overview-->', () => first).replace('<!--chord:data-->', () => data.join('\n')));
}

// Waits until the condition holds: what a key or a click does shows in the page, and in its address, a moment later.
export async function eventually(condition, what) {
  for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((later) => setTimeout(later, 50))) {
    if (await condition()) return;
  }
  check(false, what);
}
// Likewise for a function that is evaluated in the page. (waitForFunction needs eval, which the page's policy forbids.)
export async function until(page, condition, what) {
  await eventually(() => page.evaluate(condition), what);
}
