/** Solves linear programs in a worker of their own. */

import type { LinearProgram, LinearSolution } from "./linear-program.ts";
import type { SolverRequest } from "./solver-worker.ts";
import SolverWorker from "./solver-worker.ts?worker";

/** The solver looks for better solutions of integer programs this long. */
const TIMEOUT_MS = 30_000;
/** After this time the worker is ended: one step of the method can take long, too. */
const END_MS = 40_000;

/** Solves a program; `signal` ends the worker. A program that takes too long has no solution. */
export function runSolver(program: LinearProgram, signal: AbortSignal): Promise<LinearSolution> {
  const worker = new SolverWorker();
  return new Promise<LinearSolution>((resolve, reject) => {
    const timer = setTimeout(() => resolve({ outcome: "stopped", values: [] }), END_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      worker.terminate();
    });
    worker.addEventListener("message", ({ data }: MessageEvent<LinearSolution>) => {
      clearTimeout(timer);
      resolve(data);
    });
    worker.addEventListener("error", (event) => {
      clearTimeout(timer);
      reject(new Error(event.message));
    });
    worker.postMessage({ program, timeoutMs: TIMEOUT_MS } satisfies SolverRequest);
  }).finally(() => worker.terminate());
}
