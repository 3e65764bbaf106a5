// Runs one task of the engine benchmark in WebAssembly: `node module.mjs MODULE TASK`. Prints the figures as JSON.

import { readFileSync } from 'node:fs';

const [file, task] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(file), {
  bench: { now: () => performance.now() },
});
const engine = instance.exports;
const text = new TextEncoder().encode(task);
new Uint8Array(engine.memory.buffer, engine.name(), text.length).set(text);
const length = engine.task(text.length);
console.log(new TextDecoder().decode(new Uint8Array(engine.memory.buffer, engine.output(), length)));
