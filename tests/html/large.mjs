// One line about a page: what it costs to make and to open, and that nothing is wrong with it.
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { accessible, browser, check, open } from './browser.mjs';

const [file, made] = process.argv.slice(2);
const [user, system, kilobytes] = made.split(' ').map(Number);
const name = basename(file, '.html');

const opened = [];
let heap = 0;
for (let i = 0; i < 10; ++i) {
  const page = await open(file);
  opened.push(await page.evaluate(() => performance.getEntriesByName('chord-open')[0].startTime));
  await page.waitForTimeout(200);  // the index is unpacked after the first view is shown
  heap = await page.evaluate(() => performance.memory.usedJSHeapSize);
  await page.context().close();
}
opened.sort((a, b) => a - b);

// Processor time of the page's thread until everything is there that is unpacked unasked: other work on the machine does not change it.
async function processorTime() {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto('file://' + encodeURI(file));
  await page.waitForSelector('#content .page');
  await page.waitForTimeout(1000);
  const { metrics } = await session.send('Performance.getMetrics');
  await context.close();
  return 1000 * metrics.find((m) => m.name === 'TaskDuration').value;
}
const busy = await processorTime();

async function look(hash, what, wanted) {
  const page = await open(file, hash, { viewport: { width: 1200, height: 800 } });
  if (wanted) await page.waitForSelector(wanted, { timeout: 20000 });
  await page.waitForTimeout(300);
  await accessible(page, `${name}: ${what}`);
  if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, `${name}-${what}.png`) });
  const used = await page.evaluate(() => performance.memory.usedJSHeapSize);
  const first = what === 'overview' ? await page.locator('.overview tbody tr a').first().getAttribute('href') : '';
  const contexts = await page.locator('nav a[href="#/contexts"]').count();
  await page.context().close();
  return { first, contexts, used };
}

check(opened[5] < 1000, `opening takes less than a second: ${opened.map(Math.round)} ms`);
const { first, contexts } = await look('', 'overview', '.overview tbody tr');
const { used } = await look(first, 'source', '.lines .line');
await look(first + '/graph', 'graph');
await look(first + '/paths', 'paths');
await look('#/functions', 'functions', '[data-table=Functions] tr');
if (contexts > 0) await look('#/contexts', 'contexts');

const mb = (bytes) => (bytes / 1e6).toFixed(1) + ' MB';
console.log(`${name}: ${mb(statSync(file).size)}, made in ${(user + system).toFixed(1)} s of CPU and ${mb(kilobytes * 1024)}, ` +
  `opened in ${opened[0].toFixed(0)} to ${opened[9].toFixed(0)} ms (${opened.length} times, median ${opened[5].toFixed(0)}; ${busy.toFixed(0)} ms of CPU), script memory ${mb(heap)}, ${mb(used)} with the hottest function open; ` +
  `no console error, no request, no finding of axe`);
await browser.close();
