// Writes down what the built page was built from: a hash over the sources, in built/sources.sha256.
// `node record.mjs --check` compares instead.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const sources = ['index.html', 'package.json', 'package-lock.json', 'tsconfig.json', 'vite.config.ts',
  ...readdirSync(join(here, 'src')).map((name) => 'src/' + name)].sort();
const lines = [...sources, 'built/page.html'].map(
  (name) => `${createHash('sha256').update(readFileSync(join(here, name))).digest('hex')}  ${name}\n`);
const record = join(here, 'built/sources.sha256');
if (process.argv.includes('--check')) {
  if (readFileSync(record, 'utf8') !== lines.join('')) {
    console.error('the built page is not what the sources build: run `npm ci && npm run build` in page/');
    process.exit(1);
  }
} else {
  writeFileSync(record, lines.join(''));
}
