// usage: steps_back_and_forth.js CHORD TRACE SOURCE
const assert = require("node:assert");
const { spawn } = require("node:child_process");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const [chord, trace, source] = process.argv.slice(2);

// The adapter speaks over its standard input and output.
class Client extends DebugClient {
  constructor() {
    super("chord", "chord", "chord");
  }
  start() {
    this.adapter = spawn(chord, ["trace", "dap", trace], { stdio: ["pipe", "pipe", "inherit"] });
    this.adapter.on("exit", (code) => (this.exitCode = code));
    this.connect(this.adapter.stdout, this.adapter.stdin);
    return Promise.resolve();
  }
}

const thread = { threadId: 1 };

async function main() {
  const client = new Client();
  await client.start();
  const where = async () => {
    const frames = (await client.stackTraceRequest(thread)).body.stackFrames;
    return frames.map((f) => `${f.name}:${f.line}`);
  };
  // Sends a request that moves, and waits until the program has stopped again.
  const move = async (request, args = thread) => {
    const stopped = client.waitForEvent("stopped");
    await client.send(request, args);
    return (await stopped).body;
  };

  const capabilities = (await client.initializeRequest({ adapterID: "chord", linesStartAt1: true, pathFormat: "path" })).body;
  assert.equal(capabilities.supportsStepBack, true);
  await client.launchRequest({});
  const lines = (await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [{ line: 3 }] })).body.breakpoints;
  assert.equal(lines[0].verified, true);
  const entry = client.waitForEvent("stopped");
  await client.configurationDoneRequest();
  assert.equal((await entry).body.reason, "entry");
  assert.deepEqual((await where()).slice(-1), ["main:12"]);

  for (let round = 0; round < 5; ++round) {
    const stop = await move("continue");
    assert.equal(stop.reason, "breakpoint", `round ${round}`);
    assert.deepEqual(await where(), ["twice:3", "sum:9", "main:13"]);
  }
  assert.equal((await move("continue")).text, "the end of the recording");
  for (let round = 0; round < 5; ++round) {
    assert.equal((await move("reverseContinue")).reason, "breakpoint", `backward, round ${round}`);
    assert.deepEqual(await where(), ["twice:3", "sum:9", "main:13"]);
  }
  await move("next");
  assert.deepEqual((await where())[0], "twice:4");
  await move("stepBack");
  assert.deepEqual((await where())[0], "twice:3");
  await move("stepOut");
  assert.deepEqual((await where())[0], "sum:9");
  await move("next");
  assert.deepEqual((await where())[0], "sum:8");
  await move("stepBack");
  assert.deepEqual((await where())[0], "sum:9");

  // The third hit, from either side.
  await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [{ line: 9, hitCondition: "3" }] });
  const third = await move("continue");
  assert.equal(third.reason, "breakpoint");
  const frame = (await client.stackTraceRequest(thread)).body.stackFrames[0];
  const scopes = (await client.scopesRequest({ frameId: frame.id })).body.scopes;
  const moment = async () => {
    const id = (await client.stackTraceRequest(thread)).body.stackFrames[0].id;
    const scope = (await client.scopesRequest({ frameId: id })).body.scopes[0];
    return (await client.variablesRequest({ variablesReference: scope.variablesReference })).body.variables[0].value;
  };
  const forward = await moment();
  assert.equal((await move("continue")).text, "the end of the recording");
  assert.equal((await move("reverseContinue")).reason, "breakpoint");
  assert.equal(await moment(), forward);
  const locals = (await client.variablesRequest({ variablesReference: scopes[1].variablesReference }).catch(() => null)) ?? { body: { variables: [] } };
  for (const v of locals.body.variables) assert.match(v.value, /not recorded/);

  const code = (await client.send("disassemble", { memoryReference: frame.instructionPointerReference, instructionOffset: 0, instructionCount: 3 })).body.instructions;
  assert.equal(code.length, 3);
  assert.ok(code[0].instruction.length > 0);
  assert.equal(code[0].line, 9);

  await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: "sum" }] });
  await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
  assert.equal((await move("reverseContinue")).reason, "breakpoint");
  assert.deepEqual((await where())[0], "sum:6");
  await client.disconnectRequest({});
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
