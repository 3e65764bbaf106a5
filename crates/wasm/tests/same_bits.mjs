// Makes the calls of same_bits.rs in a WebAssembly module: `node same_bits.mjs MODULE SCRIPT RESULTS`.
//
// A call is `name hex number…` on one line. Its result is written as a length (32 bits, little-endian)
// and the bytes of the output buffer, or of the returned number for functions in `NUMBER`.

import { readFileSync, writeFileSync } from "node:fs";

const [module, script, results] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
const engine = instance.exports;
const OUTPUT = new Set(["query", "window", "sheet_dimensions", "take_persisted", "next_frame", "notices", "restore"]);
const NUMBER = new Set(["evaluate", "persistence_due"]);

const parts = [];
function writeResult(bytes) {
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
    writeResult(new Uint8Array(engine.memory.buffer, engine.output(), result));
  } else if (NUMBER.has(name)) {
    const bits = Buffer.alloc(4);
    bits.writeUInt32LE(result >>> 0);
    writeResult(bits);
  } else {
    writeResult([]);
  }
}
writeFileSync(results, Buffer.concat(parts));
