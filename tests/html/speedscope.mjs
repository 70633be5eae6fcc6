// speedscope.mjs FORMAT…: loads out.FORMAT in speedscope's own page and compares its table of functions with contexts.json.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, extname, join } from 'node:path';
import { browser, check, same } from './browser.mjs';
import { byFunction } from './contexts.mjs';

const expected = byFunction(JSON.parse(readFileSync('contexts.json', 'utf8')).rows);

// As users have it: from a server.
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const server = createServer((request, response) => {
  const file = join(process.env.READERS, 'speedscope/dist/release', basename(request.url === '/' ? 'index.html' : request.url));
  response.writeHead(existsSync(file) ? 200 : 404, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' });
  response.end(existsSync(file) ? readFileSync(file) : '');
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));

// What the page's table of functions shows now: names with instructions, all and own.
async function table(page) {
  const rows = await page.evaluate(() => [...document.querySelectorAll('tr')].map((r) => [...r.querySelectorAll('td')].map((c) => c.innerText)).filter((r) => r.length === 3));
  const value = (text) => Number(text.split(' ')[0].replaceAll(',', ''));
  return rows.map(([all, own, name]) => [name, [value(all), value(own)]]).sort();
}

for (const format of process.argv.slice(2)) {
  const page = await (await browser.newContext({ viewport: { width: 1600, height: 1200 } })).newPage();
  page.on('pageerror', (e) => check(false, `${format}: ${e.stack}`));
  page.on('dialog', (d) => check(false, `${format}: ${d.message()}`));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.locator('input[type=file]').setInputFiles(`out.${format}`);
  await page.getByText('Sandwich').click();
  await page.getByText('Symbol Name').waitFor();
  // The table is drawn some time after its heading, in parts.
  const wanted = JSON.stringify(Object.entries(expected).sort());
  let shown = await table(page);
  for (let tries = 0; tries < 300 && JSON.stringify(shown) !== wanted; ++tries) {
    await page.waitForTimeout(100);
    shown = await table(page);
  }
  same(shown, Object.entries(expected).sort(), format);
  await page.close();
}
await browser.close();
server.close();
