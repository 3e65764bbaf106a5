/** Figures with their limits, printed and written as JSON. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly must?: { readonly max: number; readonly isMet: boolean };
}

/** Collects the figures of a run. */
export class Report {
  private readonly figures: Figure[] = [];
  private readonly allSeries: Record<string, readonly object[]> = {};

  add(name: string, value: number, unit: string): void {
    this.figures.push({ name, value, unit });
    console.log(`  ${name}: ${round(value)} ${unit}`);
  }

  /** Adds a figure with an upper limit. */
  must(name: string, value: number, max: number, unit: string): void {
    const isMet = value <= max;
    this.figures.push({ name, value, unit, must: { max, isMet } });
    console.log(`${isMet ? "✓" : "✗"} ${name}: ${round(value)} ${unit} (at most ${max})`);
  }

  /** Adds a series of samples to the JSON file. */
  series(name: string, samples: readonly object[]): void {
    this.allSeries[name] = samples;
  }

  section(title: string): void {
    console.log(`\n## ${title}`);
  }

  finish(file: string | undefined, facts: Record<string, unknown>): void {
    const required = this.figures.flatMap(({ must }) => must ?? []);
    if (file !== undefined) {
      const document = { workload: "the page in a browser", ...facts, machine: machine(), figures: this.figures, series: this.allSeries };
      writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
    }
    console.log(`\nmust: ${required.filter(({ isMet }) => isMet).length} of ${required.length} met`);
  }
}

/** The quantile `share` of `values`, from 0 to 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
}

function round(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function machine(): string {
  const commit = execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).trim();
  const all = cpus();
  return `${all.length} × ${all[0]?.model ?? "unknown"}, ${process.platform} ${process.arch}, commit ${commit}`;
}
