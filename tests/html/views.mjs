import { accessible, browser, check, eventually, open, same, until } from './browser.mjs';

const [queens, templates, diff] = process.argv.slice(2);
const text = (page, selector) => page.locator(selector).first().innerText();

// Every view, light and dark.
for (const colorScheme of ['light', 'dark']) {
  for (const view of ['', 'functions', 'files', 'loops', 'opcodes', 'left-out', 'function/main', 'function/main/graph', 'function/main/paths', 'function/main/calls', 'function/main/loops', 'no-such-view', 'function/nobody']) {
    const page = await open(templates, '#/' + view, { colorScheme });
    await page.waitForTimeout(150);
    await accessible(page, `${view || 'overview'} (${colorScheme})`);
    await page.context().close();
  }
}
{
  const page = await open(queens);
  check((await text(page, '.stats')).includes('92,965'), 'the overview shows the total');
  same(await page.locator('.overview tbody').first().locator('tr').count(), 2, 'both functions are listed');

  // Keys: to the functions, down the table, into one, through its tabs, and back to light or dark.
  await page.keyboard.press('2');
  await page.waitForSelector('[data-table=Functions] tr[data-at]');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await until(page, () => document.activeElement.textContent.includes('main'), 'j goes down the rows');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.lines .line.asm');
  await eventually(() => page.url().endsWith('#/function/place'), 'Enter opens the function');
  for (const [key, tab] of [['g', 'graph'], ['p', 'paths'], ['c', 'calls'], ['l', 'loops'], ['s', 'source']]) {
    await page.keyboard.press(key);
    await eventually(() => page.url().endsWith('/' + tab), `${key} opens ${tab}`);
  }
  await page.keyboard.press(']');
  await until(page, () => document.querySelector('h1')?.textContent === 'main', '] goes to the next function');
  await page.keyboard.press('[');
  await until(page, () => document.querySelector('h1')?.textContent === 'place', '[ goes back');
  // A key that comes as soon as the next function is there is about that function.
  await page.evaluate(() => new Promise((done) => {
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    const watch = new MutationObserver(() => {
      if (document.querySelector('h1').textContent !== 'main') return;
      watch.disconnect();
      press('[');
      done();
    });
    watch.observe(document.body, { subtree: true, childList: true, characterData: true });
    press(']');
  }));
  await until(page, () => document.querySelector('h1')?.textContent === 'place', '[ at once goes back, too');
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const before = await theme();
  await page.keyboard.press('t');
  await eventually(async () => (await theme()) !== before, 't changes the theme');
  await page.keyboard.press('?');
  await page.locator('dialog').waitFor();
  await accessible(page, 'help');
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'hidden' });
  await until(page, () => document.activeElement === document.body || !document.activeElement.closest('dialog'), 'the dialog gives the keyboard back');
  await page.keyboard.press('/');
  await until(page, () => document.activeElement.tagName === 'INPUT', '/ leads to the search');
  await page.keyboard.type('mai');
  await page.waitForSelector('#hits li');
  await accessible(page, 'search');
  await page.keyboard.press('Enter');
  await until(page, () => document.querySelector('h1')?.textContent === 'main', 'search leads to the function');
}
{
  // Source and assembly are linked, and the link survives.
  const page = await open(queens, '#/function/place');
  const line = page.locator('[data-line$=":8"]');
  await line.waitFor();
  same((await line.locator('.count').innerText()).trim(), '2,056', 'arrivals at line 8');
  await line.click();
  const selected = page.locator('.line.asm.selected');
  await selected.first().waitFor();
  await eventually(async () => (await selected.count()) >= 2, 'its instructions are marked');
  same(await selected.first().locator('.n').innerText(), '2,056', 'with their count');
  await eventually(() => page.url().includes('line='), 'the address names the line');
  await eventually(async () => (await text(page, '.panel.side')).includes('of 6 paths'), 'the paths through it are listed');
  await page.locator('.panel.side button[aria-pressed]').first().click();
  await page.waitForSelector('.rail path[d^="M"]');
  await page.reload();
  await page.waitForSelector('.rail path[d^="M"]');
  await eventually(async () => (await page.locator('.line.asm.on-path').count()) > 5, 'the path is drawn after following the link');
  await accessible(page, 'a selected line');
}
{
  // A function is shown from where it begins, not from what was inlined into it.
  const page = await open(templates, '#/function/main');
  await page.waitForSelector('.lines .line.asm');
  await until(page, () => [...document.querySelectorAll('[aria-label=Source] .line')].some((line) => {
    const box = line.getBoundingClientRect(), pane = line.closest('.lines').getBoundingClientRect();
    return /\bmain\b/.test(line.textContent) && box.top >= pane.top && box.bottom <= pane.bottom;
  }), 'the beginning of main is on the screen');
}
{
  // The graph has every edge of the function but the return edge and those never taken by design; a click shows paths.
  const page = await open(queens, '#/function/place/graph');
  await page.waitForSelector('.edge');
  await eventually(async () => (await page.locator('.edge text').count()) === 9, 'every edge is drawn');
  const counts = (await page.locator('.edge text').allTextContents()).sort();
  same(counts, ['1,321', '1,321', '1,321', '1,965', '2,057', '2,057', '644', '735', '92'].sort(), 'counts on the edges');
  await page.locator('.edge', { hasText: '92' }).focus();
  await page.keyboard.press('Enter');
  await until(page, () => document.querySelector('.panel.side')?.textContent.includes('1 of 6 paths'), 'one path leads through the edge');
  check((await text(page, '.panel.side tbody')).includes('92'), 'the path through the edge ran as often');
  await page.locator('.node[role=button]').first().click();
  await eventually(() => page.url().includes('block='), 'a block can be linked to');
}
{
  const page = await open(diff, '#/diff');
  const row = page.locator('[data-table=Comparison] tr', { hasText: 'main' });
  check((await row.innerText()).includes('+'), 'main executed more');
  await accessible(page, 'comparison');
}
{
  // A browser that cannot unpack, and one without JavaScript: the essentials are there, and the first says why.
  const page = await open(queens, '', { static: true, init: 'delete window.DecompressionStream' });
  await page.waitForSelector('#notice:not([hidden])');
  check((await text(page, '#notice')).includes('DecompressionStream'), 'the reason is given');
  check((await text(page, '#static')).includes('92,965'), 'the summary stays');
  const plain = await open(queens, '', { static: true, javaScriptEnabled: false });
  check((await text(plain, '#static table')).includes('place'), 'the table without JavaScript');
  check((await text(plain, '#static pre')).includes('2,056'), 'the source without JavaScript');
}
{
  // Printed, all rows are there, not only those on the screen.
  const page = await open(templates, '#/function/main', { viewport: { width: 900, height: 300 } });
  await page.waitForSelector('.line.asm');
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await eventually(async () => (await page.locator('.line.asm').count()) > 500, 'printing draws every instruction');
  check((await page.pdf()).length > 20000, 'a PDF comes out');
}
{
  const page = await open(queens);
  const policy = await page.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content');
  check(policy.includes("default-src 'none'") && !policy.includes('unsafe'), `a strict policy: ${policy}`);
  const ms = await page.evaluate(() => performance.getEntriesByName('chord-open')[0].startTime);
  console.log(`opened after ${Math.round(ms)} ms`);
}
await browser.close();
