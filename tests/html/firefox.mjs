// firefox.mjs READER FILE: each thread's functions in Firefox Profiler, by its own command line, against contexts.json.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { byFunction } from './contexts.mjs';

const [reader, file] = process.argv.slice(2);
// A folder of its own: a process that an earlier call of this left and that is still about to end must not answer.
const sessions = mkdtempSync(process.cwd() + '/sessions-');
const environment = { ...process.env, PROFILER_CLI_SESSION_DIR: sessions, PROFILER_CLI_NO_SYMBOLICATE: '1' };
// The reader's answers come from a process that has the file loaded. Ours, so that it has the time it needs and ends with us.
const loaded = spawn(process.execPath, [reader, '--daemon', file, '--session', 'chord'], { env: environment, stdio: 'ignore' });
process.on('exit', () => loaded.kill());
const ask = (...args) => JSON.parse(execFileSync(process.execPath, [reader, ...args, '--session', 'chord', '--json'], { encoding: 'utf8', env: environment, stdio: ['ignore', 'pipe', 'ignore'], timeout: 30000 }));

// Whoever asks for a session that has not been announced removes what there is of it, the socket too, and then nobody can ask any more.
const announced = () => existsSync(`${sessions}/chord.json`);
const answers = () => {
  try {
    return ask('thread', 'list');
  } catch {
    return undefined;
  }
};

async function ready() {
  for (let tries = 0; tries < 300; ++tries) {
    if (announced() && answers()) return;
    await new Promise((soon) => setTimeout(soon, 200));
  }
  throw new Error(`the profile was not loaded in time; ${announced() ? readFileSync(`${sessions}/chord.log`, 'utf8') : 'no session was announced'}`);
}

const rows = JSON.parse(readFileSync('contexts.json', 'utf8')).rows;
const threads = [...new Set(rows.map((r) => r.thread))].sort((a, b) => a - b);
const entries = (sums) => JSON.stringify(Object.entries(sums).sort());
await ready();
threads.forEach((thread, n) => {
  const shown = {};
  for (const f of ask('thread', 'functions', '--thread', `t-${n}`).functions) shown[f.name] = [f.totalSamples, f.selfSamples];
  const expected = byFunction(rows.filter((r) => r.thread === thread));
  if (entries(shown) !== entries(expected)) {
    console.error(`thread ${thread}: expected ${entries(expected)}, got ${entries(shown)}`);
    process.exitCode = 1;
  }
});
loaded.kill();
