/** Memory of the renderer process by component, from Chromium's memory-infra dumps. */

import type { Browser } from "@playwright/test";

/** Bytes by component, such as `v8/main/heap` or `partition_alloc/partitions`. */
export type Account = ReadonlyMap<string, number>;

interface Dump {
  readonly allocators?: Readonly<Record<string, { readonly attrs?: { readonly size?: { readonly value?: string } } }>>;
}

interface TraceEvent {
  readonly ph?: string;
  readonly pid?: number;
  readonly args?: { readonly dumps?: Dump };
}

const CATEGORY = "disabled-by-default-memory-infra";
/** Deeper components are part of their parents. */
const DEPTH_MAX = 3;

/** Memory of the process with the largest JavaScript heap, which is the page's renderer. */
export async function account(browser: Browser): Promise<Account> {
  const devtools = await browser.newBrowserCDPSession();
  const dumps = new Map<number, Map<string, number>>();
  devtools.on("Tracing.dataCollected", ({ value }) => {
    for (const event of value as readonly TraceEvent[]) {
      if (event.ph === "v" && event.pid !== undefined && event.args?.dumps?.allocators) {
        const known = dumps.get(event.pid) ?? new Map<string, number>();
        dumps.set(event.pid, known);
        take(event.args.dumps, known);
      }
    }
  });
  const complete = new Promise((resolve) => devtools.once("Tracing.tracingComplete", resolve));
  await devtools.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: [CATEGORY], excludedCategories: ["*"], memoryDumpConfig: {} },
  });
  await devtools.send("Tracing.requestMemoryDump", { levelOfDetail: "detailed" });
  await devtools.send("Tracing.end");
  await complete;
  await devtools.detach();
  const heap = (dump: ReadonlyMap<string, number>): number => dump.get("v8/main/heap") ?? 0;
  return [...dumps.values()].reduce((most, next) => (heap(next) > heap(most) ? next : most), new Map<string, number>());
}

function take(dump: Dump, into: Map<string, number>): void {
  for (const [name, { attrs }] of Object.entries(dump.allocators ?? {})) {
    // Replaces addresses and ids in names, so that components of one kind are added up.
    const parts = name.split("/").slice(0, DEPTH_MAX).map((part) => part.replace(/(0x[0-9a-f]+|[0-9A-F]{16,})/i, "*"));
    const size = attrs?.size?.value;
    if (size !== undefined && name.split("/").length <= DEPTH_MAX) {
      const key = parts.join("/");
      into.set(key, (into.get(key) ?? 0) + Number.parseInt(size, 16));
    }
  }
}

/** Components that grew by at least `least` bytes, largest growth first. */
export function gains(before: Account, after: Account, least: number): readonly (readonly [name: string, bytes: number])[] {
  const names = [...after].map(([name, bytes]) => [name, bytes - (before.get(name) ?? 0)] as const);
  return names.filter(([, bytes]) => bytes >= least).sort(([, one], [, other]) => other - one);
}
