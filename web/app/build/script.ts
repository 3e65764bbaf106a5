/** Builds scripts that are not part of the bundle of the client. */

import { join } from "node:path";
import { build } from "vite";
import { worldMap } from "./world-map.ts";

/** A script and the format of its bundle. */
export interface Script {
  /** Absolute path of `web/app`. */
  readonly root: string;
  /** Path of the entry module, relative to `root`. */
  readonly source: string;
  readonly output: { readonly format: "es" } | { readonly format: "iife"; readonly name: string };
  readonly define?: Readonly<Record<string, string>>;
}

/** Bundles the script and returns its code as one chunk. */
export async function buildScript({ root, source, output, define = {} }: Script): Promise<string> {
  const built = await build({
    configFile: false,
    root,
    logLevel: "warn",
    publicDir: false,
    plugins: [worldMap()],
    define: { ...define },
    build: { write: false, target: "es2022", rollupOptions: { input: join(root, source), output, preserveEntrySignatures: "exports-only" } },
  });
  const [bundle] = Array.isArray(built) ? built : [built];
  const chunk = bundle && "output" in bundle ? bundle.output[0] : undefined;
  if (!chunk) {
    throw new Error(`${source} was not built`);
  }
  return chunk.code;
}
