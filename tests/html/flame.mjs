import { accessible, browser, check, emptyIndex, makePage, open, same } from './browser.mjs';

// A tree of a million contexts, by arithmetic: node i > 0 hangs below (i - 1) >> 2.
const n = 1_000_000;
const index = emptyIndex();
index.instructions = n;
index.contexts = {
  parent: Array.from({ length: n }, (_, i) => (i === 0 ? -1 : (i - 1) >> 2)), name: Array.from({ length: n }, (_, i) => `function_${i % 997}`),
  function: new Array(n).fill(-1), exclusive: new Array(n).fill(1), calls: new Array(n).fill(1),
};
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
same((await page.locator('.flame-say').innerText()).split(' ')[1], size.toLocaleString('en'), 'keys go to the first child');
const started = Date.now();
await page.keyboard.press('Enter');
await page.keyboard.press('Escape');
console.log(`zooming in and out took ${Date.now() - started} ms`);
await page.locator('input[aria-label="Find in the flame graph"]').fill('function_7');
await accessible(page, 'the flame graph');

makePage('none.html', [emptyIndex()]);
const none = await open(process.cwd() + '/none.html', '#/contexts');
check(!(await none.locator('header nav').innerText()).includes('Contexts'), 'without contexts there is no such view');
await browser.close();
