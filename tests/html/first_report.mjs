// The page of docs/first-report.md: totals as in the report, the hottest function, its source; pictures of both if wanted.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, browser, check, open } from './browser.mjs';

const [file, reportFile] = process.argv.slice(2);
const report = JSON.parse(readFileSync(reportFile, 'utf8'));
const total = report.instructions.toLocaleString('en-US');

async function picture(page, name) {
  if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, name) });
}

const page = await open(file, '', { viewport: { width: 1100, height: 700 } });
check((await page.locator('.stats').first().innerText()).includes(total), `the overview shows ${total} instructions`);
check((await page.locator('.overview tbody tr').first().innerText()).includes('count_words'), 'count_words leads');
await accessible(page, 'the first report');
await picture(page, 'first-report.png');
await page.locator('.overview tbody tr').first().locator('a').first().click();
await page.waitForSelector('.lines .line.asm');
check((await page.locator('h1').innerText()).includes('count_words'), 'a click opens the function');
const line = page.locator('.line', { hasText: '++counts[word];' }).first();
check(/\d/.test(await line.locator('.count').innerText()), 'its source has counts');
await accessible(page, 'the first function');
await picture(page, 'first-function.png');
await browser.close();
