export { loadEngine } from "./load-engine.ts";
