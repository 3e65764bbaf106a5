/** The engine's code, loaded and compiled once, as early as the page knows that it needs it. */

import engineUrl from "@quadrille/engine/quadrille.wasm?url";

let loading: Promise<WebAssembly.Module> | undefined;

export function loadEngine(): Promise<WebAssembly.Module> {
  loading ??= WebAssembly.compileStreaming(fetch(engineUrl)).catch((error: unknown) => {
    // The next attempt starts anew.
    loading = undefined;
    throw error;
  });
  return loading;
}
