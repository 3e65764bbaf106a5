/** Downloads and compiles the WebAssembly module of the engine once. */

import engineUrl from "@quadrille/engine/quadrille.wasm?url";

let loading: Promise<WebAssembly.Module> | undefined;

/** The compiled module. Rejects when the download or the compilation fails. */
export function loadEngine(): Promise<WebAssembly.Module> {
  loading ??= compile();
  return loading;
}

async function compile(): Promise<WebAssembly.Module> {
  try {
    const engine = await WebAssembly.compileStreaming(fetch(engineUrl));
    // Measured by `web/bench`.
    performance.mark("quadrille: engine");
    return engine;
  } catch (error) {
    // The next call tries again.
    loading = undefined;
    throw error;
  }
}
