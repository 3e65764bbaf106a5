/**
 * Groups the modules of the client into files by the stage in which they are loaded. Without groups
 * the bundler puts every module that a dialog shares with the page into a file of its own: forty
 * files of a few hundred bytes, which are forty requests that compress badly.
 */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

/**
 * The stages in loading order, each with its first modules. A module belongs to the first stage that
 * imports it statically.
 *
 * Components and styles that several pages use belong to the first stage, so that no page loads the
 * code of another one for them.
 */
const STAGES: readonly (readonly [stage: string, ...firstModules: readonly string[]])[] = [
  [
    "index",
    "main.tsx",
    "components/Menu.tsx",
    "components/Modal.tsx",
    "components/Popover.tsx",
    "components/FileDropZone.tsx",
    "components/FormField.tsx",
    "components/Icon.tsx",
    "components/LanguageField.tsx",
    "components/Logo.tsx",
    "components/DialogButtons.tsx",
    "components/focus.ts",
    "files/file-types.ts",
    "presence/initials.ts",
    "rooms/recent-rooms.ts",
    "rooms/titles.ts",
    "style/overlays.css",
    "style/forms.css",
    "style/touch.css",
  ],
  ["preview", "preview/PreviewSheet.tsx"],
  ["workbook", "workbook/WorkbookPage.tsx"],
  ["later", "workbook/later.ts"],
  ["overlays", "components/overlays/index.ts"],
  ["account-menu", "accounts/AccountMenu.tsx"],
  ["accounts", "accounts/AccountPages.tsx"],
];

/** The bundler's module graph, as far as it is used here. */
interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/** One entry of Rolldown's `codeSplitting.groups`. */
interface Group {
  readonly debugName: string;
  /** The file that a module goes into; `null` when this group does not contain the module. */
  readonly name: (id: string, graph: Graph) => string | null;
  readonly priority: number;
}

/**
 * The value of `codeSplitting.groups`: one group per stage; earlier stages have a higher priority.
 */
export function stages(root: string): Group[] {
  let stageOf: Map<string, string> | undefined;
  return STAGES.map(([stage], index) => ({
    debugName: stage,
    name: (id, graph) => {
      stageOf ??= assignStages(join(root, "src"), graph);
      return stageOf.get(id) === stage ? stage : null;
    },
    priority: STAGES.length - index,
  }));
}

/**
 * Tells the bundler that an `index.ts` of a folder or package has no side effects. Without this,
 * whoever imports one name of it would also run every other module that it names.
 */
export function folderIndexes(root: string): Plugin {
  const sources = join(root, "src");
  return {
    name: "quadrille-folder-indexes",
    transform: (code, id) => (isIndex(id, sources) ? { code, map: null, moduleSideEffects: false } : null),
  };
}

/**
 * The files to preload for a dynamic import, without those of earlier stages, which are loaded already.
 * Their names would be listed in the file of the import.
 */
export function notYetLoaded(_file: string, needed: string[], { hostId }: { readonly hostId: string }): string[] {
  const isFirst = /\/(?:index|preview)-/.test(hostId);
  return needed.filter((file) => !(isFirst ? /\/index-/ : /\/(?:index|preview|workbook)-/).test(file));
}

function assignStages(sources: string, graph: Graph): Map<string, string> {
  const stageOf = new Map<string, string>();
  for (const [stage, ...first] of STAGES) {
    const pending = first.map((module) => join(sources, module));
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (!stageOf.has(id)) {
        stageOf.set(id, stage);
        pending.push(...importsOf(id, sources, graph));
      }
    }
  }
  return stageOf;
}

/**
 * The modules that a module needs at once. An `index.ts` of a folder or package is followed for the
 * imported names only: it also names parts that a later stage loads.
 */
function importsOf(id: string, sources: string, graph: Graph): string[] {
  if (isIndex(id, sources)) {
    // Its importers add the modules of the names that they use.
    return [];
  }
  const imported = graph.getModuleInfo(id)?.importedIds ?? [];
  if (!id.startsWith(packagesOf(sources)) || id.includes("/node_modules/") || !/\.tsx?$/.test(id)) {
    return [...imported];
  }
  const uses = statements(id, "import", sources);
  return imported.flatMap((target) => {
    if (!isIndex(target, sources)) {
      return [target];
    }
    const names = new Set(uses.filter(({ file }) => file === target).flatMap((use) => use.names));
    const definitions = statements(target, "export", sources).filter((part) => part.names.some((name) => names.has(name)));
    return [target, ...definitions.map(({ file }) => file)];
  });
}

/** The folder of all packages. */
function packagesOf(sources: string): string {
  return `${dirname(dirname(sources))}/`;
}

/** Whether a module is the `index.ts` of a folder of the client or of another package. */
function isIndex(id: string, sources: string): boolean {
  const path = id.startsWith(packagesOf(sources)) ? id.slice(packagesOf(sources).length) : "";
  return isFolderIndex(id, sources) || /^(editor|grid|protocol|session)\/src\/index\.ts$/.test(path);
}

function isFolderIndex(id: string, sources: string): boolean {
  return id.startsWith(sources) && id.slice(sources.length).split("/").length === 3 && id.endsWith("/index.ts");
}

/**
 * The `import { … } from "…"`, `export { … } from "…"` or `export * from "…"` statements of a source
 * file: the imported names without types, and the file that defines them.
 */
function statements(id: string, keyword: "import" | "export", sources: string): { readonly file: string; readonly names: readonly string[] }[] {
  const pattern = new RegExp(`^(?:${keyword}|export) (?:\\{([^}]*)\\}|\\*) from "(\\.[^"]+|@quadrille/\\w+)";`, "gm");
  return [...readFileSync(id, "utf8").matchAll(pattern)].map(([, names, path = ""]) => {
    const file = path.startsWith("@") ? join(packagesOf(sources), path.replace("@quadrille/", ""), "src/index.ts") : join(dirname(id), path);
    return { file, names: names === undefined ? definedNames(file) : listedNames(names) };
  });
}

function listedNames(list: string): string[] {
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => name.split(" as ")[0] ?? name);
}

/** The values that a source file exports by their definitions. */
function definedNames(file: string): string[] {
  const pattern = /^export (?:async )?(?:function\*?|const|let|class|enum) (\w+)/gm;
  return [...readFileSync(file, "utf8").matchAll(pattern)].map(([, name = ""]) => name);
}
