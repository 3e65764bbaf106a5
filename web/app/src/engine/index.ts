/** Loading of the WebAssembly engine. */

export { loadEngine } from "./load-engine.ts";
