// Performs the calls of same_bits.rs in a WebAssembly module: `node same_bits.mjs MODULE SCRIPT ANSWERS`.
//
// A call is `name hex number…` on one line. Its answer is the length (32 bits, little-endian) and the bytes of what the
// engine put out, of a plain number the number itself.

import { readFileSync, writeFileSync } from "node:fs";

const [module, script, answers] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
const engine = instance.exports;
const OUTPUT = new Set(["ask", "window", "shape", "keep", "next_frame", "notices", "restore"]);
const NUMBER = new Set(["evaluate", "persist_due"]);

const parts = [];
function answer(bytes) {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  parts.push(length, Buffer.from(bytes));
}

for (const line of readFileSync(script, "utf8").split("\n").filter((text) => text !== "")) {
  const [name, hex, ...numbers] = line.split(" ");
  const values = numbers.map(Number);
  let result;
  if (hex === "-") {
    result = engine[name](...values);
  } else {
    const input = Buffer.from(hex, "hex");
    const pointer = engine.allocate(input.length);
    new Uint8Array(engine.memory.buffer, pointer, input.length).set(input);
    result = engine[name](pointer, input.length, ...values);
    engine.release(pointer, input.length);
  }
  if (OUTPUT.has(name)) {
    answer(new Uint8Array(engine.memory.buffer, engine.output(), result));
  } else if (NUMBER.has(name)) {
    const bits = Buffer.alloc(4);
    bits.writeUInt32LE(result >>> 0);
    answer(bits);
  } else {
    answer([]);
  }
}
writeFileSync(answers, Buffer.concat(parts));
