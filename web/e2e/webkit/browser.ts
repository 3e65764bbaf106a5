/**
 * WebKit, the engine of Safari. Debian has it as WebKitGTK, with a WebDriver server and the small
 * browser that it starts. A server drives one browser, and the browser needs a display, so that each
 * person has a server and a display without a screen.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { expect } from "@playwright/test";
import { freePort } from "../server.ts";
import { Session } from "./webdriver.ts";

const DRIVER = process.env["WEBKIT_DRIVER"] ?? "WebKitWebDriver";

/** Size of a window, as in the other browsers. */
const WINDOW = { width: 1280, height: 800 };

/** A WebDriver server, its display and its home directory. */
export class Driver {
  readonly url: string;
  /** Settings, caches and saved files of the browser. */
  readonly home: string;
  private readonly processes: readonly ChildProcess[];
  private session: Session | undefined;

  private constructor(url: string, home: string, processes: readonly ChildProcess[]) {
    this.url = url;
    this.home = home;
    this.processes = processes;
  }

  static async start(): Promise<Driver> {
    const { width, height } = WINDOW;
    const screen = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", `${width}x${height}x24`, "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
    const written = once(screen.stdio[3] as Readable, "data") as Promise<[Buffer]>;
    const [display] = await Promise.race([failure(screen), written]);
    const home = await mkdtemp(join(tmpdir(), "quadrille-webkit-"));
    const port = await freePort();
    // Without a graphics card, composited layers take twice the processor time; screenshots need them (0).
    const env = { WEBKIT_DISABLE_COMPOSITING_MODE: "1", ...process.env, DISPLAY: `:${display.toString().trim()}`, HOME: home, LANG: "C.UTF-8" };
    const server = spawn(DRIVER, [`--port=${port}`], { env, stdio: "ignore" });
    const url = `http://127.0.0.1:${port}`;
    const answers = (): Promise<boolean> => fetch(`${url}/status`).then(({ ok }) => ok, () => false);
    await Promise.race([failure(server), expect.poll(answers, `${DRIVER} answers`).toBe(true)]);
    return new Driver(url, home, [server, screen]);
  }

  /** Starts the browser, without stored data. */
  async open(): Promise<Session> {
    this.session = await Session.start(this.url, {});
    await this.session.resize(WINDOW.width, WINDOW.height);
    return this.session;
  }

  async stop(): Promise<void> {
    await this.session?.end();
    for (const running of this.processes) {
      const ended = new Promise((done) => running.once("exit", done));
      running.kill();
      await ended;
    }
    await rm(this.home, { recursive: true, force: true });
  }
}

/** Rejects when a program is not installed or ends at once. */
function failure(started: ChildProcess): Promise<never> {
  return new Promise((_, reject) => {
    started.once("error", () => reject(new Error(`no ${started.spawnfile}; on Debian: apt-get install webkit2gtk-driver xvfb`)));
    started.once("exit", (code) => reject(new Error(`${started.spawnfile} ended with ${code}`)));
  });
}
