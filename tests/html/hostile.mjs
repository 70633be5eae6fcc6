import { accessible, browser, check, emptyIndex, emptyOverview, makePage, open } from './browser.mjs';

// A page that chord made from a hostile program.
const evil = process.argv[2];
for (const view of ['', 'functions', 'files', 'left-out', 'loops']) {
  const page = await open(evil, '#/' + view);
  await page.waitForTimeout(100);
  check((await page.locator('#content img, #content script').count()) === 0, `no markup of others in ${view}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(wide <= 0, `a long name does not widen ${view || 'the overview'} (${wide})`);
  await page.context().close();
}
{
  const page = await open(evil, '#/functions');
  await page.locator('.rows .name', { hasText: 'nnnn' }).first().click();
  await page.waitForSelector('.lines .line');
  const shown = await page.locator('.lines').first().innerText();
  check(shown.includes('</script><script>alert(1)</script>'), 'markup in the source is shown as text');
  check(shown.includes('\\u{202E}') && !shown.includes('\u202e'), 'a reversing character is made visible');
  await accessible(page, 'a function with a name of 10,000 letters');
}

// Data made up to be worse than any compiler allows: every string hostile, numbers too large, names of Object's own members.
const worst = '"></bdi></script><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\u2066\u0000\ud800';
const names = [worst, '__proto__', 'constructor', 'toString', worst.repeat(200), '', '~0', 'a~1'];
const n = names.length;
const fill = (value) => new Array(n).fill(value);
const index = emptyIndex();
Object.assign(index, { program: worst, path: worst, instructions: '18446744073709551615', warnings: [worst], codeStarts: [0], fileStarts: [0] });
Object.assign(index.functions, {
  name: names, demangled: fill(worst), unit: fill(0), module: fill(0), place: fill([0, 1]), calls: fill('9007199254740993'), executed: fill('18446744073709551615'),
  instructions: fill(2), never: fill(0), blocks: fill(1), blocksNever: fill(0), problem: [worst, ...new Array(n - 1).fill(null)], units: [worst], modules: [worst],
});
index.files = { name: [worst], shown: [worst], path: [worst], length: [2], lines: [1], ran: [1], executed: ['18446744073709551615'], instructions: [2] };
index.calls = { from: [0, 1], to: [-1, 0], count: [1, '9007199254740993'], indirect: fill(0), outside: [worst] };
index.loops = { function: [worst], unit: [worst], fragment: [worst], offset: [0], depth: [1], entered: [0], iterations: [null], executed: ['18446744073709551615'], share: [null], blocks: [1], instructions: [2], file: [worst], line: [1] };
index.opcodes = { kind: ['class', 'mnemonic'], opcode: [worst, worst], count: [1, 1], share: [1, 1], instructions: [1, 1] };
index.skipped = { name: [worst], demangled: [worst], unit: [worst], reason: [worst] };
const code = {
  fragments: [worst], jumpAt: [], jumpTo: [], size: [4, 1], file: [0, 0], line: [1, 0], text: [worst, '\tcall\t' + worst],
  blockKind: [0, 1, 2], blockFirst: [0, 0, 0], blockLength: [0, 0, 2], edgeFrom: [1, -1, 2], edgeTo: [-1, 2, -1], edgeKind: [0, 5, 7],
  blockCount: [1, 1, '18446744073709551615'], edgeCount: [1, '18446744073709551615', null], otherAt: [1], otherCount: [null], noPaths: worst,
};
const file = { first: [1], text: [[worst, '/*' + worst]], line: [1], count: ['18446744073709551615'], executed: [null], instructions: [2] };
const big = '18446744073709551615';
const overview = Object.assign(emptyOverview(index), {
  hottest: names.map((name, i) => ({ key: name + i, title: worst, executed: big, calls: big })), loops: [{ key: null, title: worst, line: 1, executed: big, entered: 0, iterations: null }, { key: worst, title: worst, line: 1, executed: big, entered: 1, iterations: 1 }],
  concentration: { of: [1, 2], share: [50, 100], needed: [1, 2, 2] }, mix: [{ name: worst, count: big }], files: [{ name: worst, shown: worst, path: worst, lines: 2, ran: 1 }], leftOut: [{ reason: worst, times: 1 }], problems: 1,
});
makePage('worst.html', [index, fill(code), [file]], overview);
const at = process.cwd() + '/worst.html';
for (const view of ['', 'functions', 'files', 'loops', 'opcodes', 'left-out', ...['', '/graph', '/paths', '/calls', '/loops'].flatMap((tab) => names.slice(0, 4).map((name) => `function/${encodeURIComponent(name.toWellFormed?.() ?? name.replace(/\ud800/, ''))}${tab}`)),
  'file/' + encodeURIComponent(worst.replace('\ud800', '\ufffd'))]) {
  const page = await open(at, '#/' + view);
  await page.waitForTimeout(50);
  check((await page.locator('#content img, #content script').count()) === 0, `no markup of others in ${view}`);
  await page.context().close();
}
{
  const page = await open(at, '#/functions');
  check((await page.locator('.rows tbody').innerText()).includes('18,446,744,073,709,551,615'), 'a count beyond 2^53 is shown exactly');
}
await browser.close();
