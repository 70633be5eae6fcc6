import { accessible, browser, check, emptyIndex, makePage, open, same } from './browser.mjs';

// A tree of a million contexts, by arithmetic: node i > 0 hangs below (i - 1) >> 2.
const n = 1_000_000, names = 997;
const index = emptyIndex();
index.instructions = n;
index.contexts = {
  parent: Array.from({ length: n }, (_, i) => (i === 0 ? -1 : (i - 1) >> 2)), function: Array.from({ length: n }, (_, i) => i % names),
  line: new Array(n).fill(7), exclusive: new Array(n).fill(1), calls: new Array(n).fill(1), note: 'what is missing',
};
const functions = index.functions;
for (const column of ['calls', 'executed', 'instructions', 'never', 'blocks', 'blocksNever', 'unit', 'module']) functions[column] = new Array(names).fill(0);
for (const column of ['demangled', 'place', 'problem']) functions[column] = new Array(names).fill(null);
functions.name = Array.from({ length: names }, (_, f) => `function_${f}`);
functions.units = functions.modules = ['made-up'];
makePage('flame.html', [index]);
const page = await open(process.cwd() + '/flame.html', '#/contexts');
const canvas = page.locator('canvas');
await canvas.waitFor();
check((await page.locator('header nav').innerText()).includes('Contexts'), 'the view is offered');
check((await page.locator('.flame-say').innerText()).includes('1,000,000 (100.0%)'), 'the root holds everything');
const colored = () => page.evaluate(() => {
  const c = document.querySelector('canvas');
  const pixels = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  let filled = 0;
  for (let i = 3; i < pixels.length; i += 4) filled += pixels[i] > 0;
  return filled / (c.width * c.height);
});
check((await colored()) > 0.8, 'most of the picture is filled');
await canvas.focus();
await page.keyboard.press('ArrowDown');
// Node 1 has itself and all below it.
let size = 0;
for (let first = 1, last = 1; first < n; first = 4 * first + 1, last = 4 * last + 4) size += Math.min(last, n - 1) - first + 1;
same((await page.locator('.flame-say').innerText()).split(': ')[1].split(' ')[0], size.toLocaleString('en'), 'keys go to the first child');
const started = Date.now();
await page.keyboard.press('Enter');
await page.keyboard.press('Escape');
// The function that was chosen, and who called it, by arithmetic: node i is of function i % 997.
const callers = new Map(), total = new Float64Array(n).fill(1);
for (let i = n - 1; i > 0; --i) total[(i - 1) >> 2] += total[i];
for (let i = 1; i < n; i += names) {
  const caller = ((i - 1) >> 2) % names, sum = callers.get(caller) ?? { calls: 0, all: 0 };
  callers.set(caller, { calls: sum.calls + 1, all: sum.all + total[i] });
}
const [caller, took] = [...callers].sort((a, b) => b[1].all - a[1].all)[0];
await page.getByText('Callers of function_1').waitFor();
const cells = page.locator('.halves section').first().locator('tbody tr').first().locator('td');
same((await cells.allInnerTexts()).slice(1), [took.all.toLocaleString('en'), took.calls.toLocaleString('en'), `function_${caller}`], 'the caller that took most');
check((await page.locator('.page').innerText()).includes('what is missing'), 'the note is shown');
console.log(`zooming in and out took ${Date.now() - started} ms`);
await page.locator('input[aria-label="Find in the flame graph"]').fill('function_7');
await accessible(page, 'the flame graph');

makePage('none.html', [emptyIndex()]);
const none = await open(process.cwd() + '/none.html', '#/contexts');
check(!(await none.locator('header nav').innerText()).includes('Contexts'), 'without contexts there is no such view');
await browser.close();
