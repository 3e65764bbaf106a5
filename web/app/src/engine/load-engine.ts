/** The engine's code, loaded and compiled once, as early as the page knows that it needs it. */

import engineUrl from "@quadrille/engine/quadrille.wasm?url";

let loading: Promise<WebAssembly.Module> | undefined;

export function loadEngine(): Promise<WebAssembly.Module> {
  loading ??= compile();
  return loading;
}

async function compile(): Promise<WebAssembly.Module> {
  try {
    const engine = await WebAssembly.compileStreaming(fetch(engineUrl));
    // Read by `web/bench`.
    performance.mark("quadrille: engine");
    return engine;
  } catch (error) {
    // The next attempt starts anew.
    loading = undefined;
    throw error;
  }
}
