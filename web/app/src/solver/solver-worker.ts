/** The worker in which linear programs are solved, so that the page stays usable and can end it. */

import { type LinearProgram, solveProgram } from "./linear-program.ts";

/** The message to the worker. */
export interface SolverRequest {
  readonly program: LinearProgram;
  readonly timeoutMs: number;
}

addEventListener("message", ({ data }: MessageEvent<SolverRequest>) => {
  postMessage(solveProgram(data.program, data.timeoutMs));
});
