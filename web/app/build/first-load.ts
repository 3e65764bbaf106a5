/**
 * Checks the size of what the client loads before a workbook is editable, without the engine
 * (decision 0007).
 *
 * The files are found in the bundle: those of the page, of the preview and of the workbook, with all
 * that they import statically, and the worker. What is imported by `import()` loads later.
 */

import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { Plugin, Rolldown } from "vite";

type Bundle = Rolldown.OutputBundle;

/** Budget of all these files together in brotli, in KB. With the engine's 650 KB it is 750 KB. */
const KB_MAX = 100;

/** The first module of each stage, see `chunks.ts`, and the share of the budget of what it adds. */
const STAGES: readonly (readonly [module: string, share: number])[] = [
  ["main.tsx", 30],
  ["preview/PreviewSheet.tsx", 30.5],
  ["workbook/WorkbookPage.tsx", 39.5],
];

/** The plugin that fails a production build above the budget. */
export function firstLoad(): Plugin {
  let sources = "";
  return {
    name: "quadrille-first-load",
    apply: (_config, { command, mode }) => command === "build" && mode === "production",
    configResolved(config) {
      sources = join(config.root, "src");
    },
    writeBundle(_options, bundle) {
      const seen = new Set<string>();
      const stages = STAGES.map(([module, share]) => {
        const files = filesOf(bundle, join(sources, module), seen).map((name) => ({ name, kb: brotliKb(bundle[name]) }));
        return { module, share, files, kb: total(files) };
      });
      const kb = total(stages);
      console.log(`before a workbook is editable, the client loads ${kb.toFixed(1)} of ${KB_MAX} KB in brotli, without the engine`);
      if (kb > KB_MAX) {
        const lines = stages.flatMap((stage) => [
          `${stage.module}: ${stage.kb.toFixed(1)} KB${stage.kb > stage.share ? `, more than its ${stage.share} KB` : ""}`,
          ...stage.files.map((file) => `    ${file.name}: ${file.kb.toFixed(1)} KB`),
        ]);
        const advice = "Load what is not needed for seeing and editing the first cells with workbook/later.ts (docs/client-state.md, \"Stages of loading\").";
        this.error(`before a workbook is editable, the client loads ${kb.toFixed(1)} KB in brotli, more than ${KB_MAX} KB:\n${lines.join("\n")}\n${advice}`);
      }
    },
  };
}

function total(parts: readonly { readonly kb: number }[]): number {
  return parts.reduce((sum, { kb }) => sum + kb, 0);
}

/** The files of the chunk with a module and of all chunks that it imports statically, without those in `seen`. */
function filesOf(bundle: Bundle, module: string, seen: Set<string>): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const isPage = module.endsWith("/main.tsx");
  const first = chunks.filter((chunk) => chunk.facadeModuleId === module || chunk.moduleIds.includes(module) || (isPage && chunk.isEntry));
  if (first.length === 0) {
    throw new Error(`no chunk has the module ${module}`);
  }
  const files: string[] = [];
  const pending = [...(isPage ? ["index.html"] : []), ...first.map(({ fileName }) => fileName)];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const file = bundle[name];
    if (!file || seen.has(name)) {
      continue;
    }
    seen.add(name);
    files.push(name);
    if (file.type === "chunk") {
      // The engine has its own budget; the worker is a file that a chunk names.
      const { importedCss, importedAssets } = file.viteMetadata ?? { importedCss: [], importedAssets: [] };
      pending.push(...file.imports, ...importedCss, ...[...importedAssets].filter((asset) => asset.endsWith(".js")));
    }
  }
  return files;
}

function brotliKb(file: Bundle[string] | undefined): number {
  const content = file?.type === "chunk" ? file.code : (file?.source ?? "");
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }).length / 1000;
}
