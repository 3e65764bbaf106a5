/**
 * Which modules share a file. What is always loaded together stands together: left to itself, the bundler puts whatever a dialog shares
 * with the page into a file of its own, and forty files of a few hundred bytes are forty requests that pack badly.
 */

import { join } from "node:path";

/** In the order in which they are loaded; a module belongs to the first that needs it at once. */
const STAGES = [
  ["index", "main.tsx"],
  ["preview", "preview/PreviewSheet.tsx"],
  ["workbook", "workbook/WorkbookPage.tsx"],
  ["overlays", "components/overlays/index.ts"],
] as const;

interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

interface Group {
  readonly debugName: string;
  /** The file of a module, or nothing where another has it or it is loaded for one thing alone. */
  readonly name: (id: string, graph: Graph) => string | null;
  readonly priority: number;
}

/** For `codeSplitting.groups`. A group takes what its modules import along, so the first to be loaded choose first. */
export function stages(root: string): Group[] {
  let stageOf: Map<string, string> | undefined;
  return STAGES.map(([stage], at) => ({
    debugName: stage,
    name: (id, graph) => {
      stageOf ??= reached(root, graph);
      return stageOf.get(id) === stage ? stage : null;
    },
    priority: STAGES.length - at,
  }));
}

function reached(root: string, graph: Graph): Map<string, string> {
  const stageOf = new Map<string, string>();
  for (const [stage, source] of STAGES) {
    const pending = [join(root, "src", source)];
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (!stageOf.has(id)) {
        stageOf.set(id, stage);
        pending.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
      }
    }
  }
  return stageOf;
}
