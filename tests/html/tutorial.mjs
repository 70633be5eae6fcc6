// The pages of docs/tutorial.md: what it speaks of is there, nothing is wrong with it; pictures if wanted.
import { join } from 'node:path';
import { accessible, browser, check, open } from './browser.mjs';

const [file, diff] = process.argv.slice(2);
const viewport = { width: 1240, height: 760 };

// Opens a view, looks at it, draws it.
async function look(of, hash, wanted, name, options = {}) {
  const page = await open(of, hash, { viewport, ...options });
  await page.waitForSelector(wanted);
  await page.waitForTimeout(500);
  await accessible(page, name);
  if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`) });
  return page;
}

const overview = await look(file, '', '.overview tbody tr', 'overview');
const rows = overview.locator('.overview tbody').first().locator('tr');
const address = async (name) => {
  const found = rows.filter({ hasText: name }).first();
  check(await found.count() === 1, `${name} is among the hottest`);
  return found.locator('a').first().getAttribute('href');
};
check((await rows.first().innerText()).includes('CanonicalizePath'), 'CanonicalizePath leads');
await look(file, '', '.overview tbody tr', 'overview-dark', { colorScheme: 'dark' });
await look(file, await address('CanonicalizePath'), '.lines .line.asm', 'function');
await look(file, (await address('LookupNode')) + '/graph', '.edge', 'graph');
await look(file, (await address('CanonicalizePath')) + '/paths', '.rail path[d^="M"]', 'paths');
const comparison = await look(diff, '#/diff', '[data-table=Comparison] tr', 'comparison');
check((await comparison.locator('[data-table=Comparison]').innerText()).includes('CanonicalizePath'), 'the comparison names what changed');
await browser.close();
