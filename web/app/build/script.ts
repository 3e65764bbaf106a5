/** Scripts that are built on their own, beside the page. */

import { join } from "node:path";
import { build } from "vite";

export interface Script {
  /** The folder of the page. */
  readonly root: string;
  /** Its first file, seen from there. */
  readonly source: string;
  readonly output: { readonly format: "es" } | { readonly format: "iife"; readonly name: string };
  readonly define?: Readonly<Record<string, string>>;
}

/** Its code, in one piece. */
export async function buildScript({ root, source, output, define = {} }: Script): Promise<string> {
  const built = await build({
    configFile: false,
    root,
    logLevel: "warn",
    publicDir: false,
    define: { ...define },
    build: { write: false, target: "es2022", rollupOptions: { input: join(root, source), output } },
  });
  const [bundle] = Array.isArray(built) ? built : [built];
  const chunk = bundle && "output" in bundle ? bundle.output[0] : undefined;
  if (!chunk) {
    throw new Error(`${source} was not built`);
  }
  return chunk.code;
}
