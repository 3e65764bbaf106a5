/** The real binary on a free port, with a data directory that goes away with the test. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const START_MS_MAX = 20_000;

function binary(): string {
  const repository = resolve(import.meta.dirname, "../..");
  const target = process.env["CARGO_TARGET_DIR"] ?? join(repository, "target");
  const places = [
    process.env["QUADRILLE_BINARY"],
    process.env["QUADRILLE_BIN"],
    join(target, "release/quadrille"),
    join(target, "debug/quadrille"),
  ];
  const found = places.find((place) => place !== undefined && existsSync(place));
  if (!found) {
    throw new Error("no quadrille binary: build one, or name it in QUADRILLE_BINARY");
  }
  return found;
}

export class Server {
  readonly url: string;
  private readonly port: number;
  private readonly dataDirectory: string;
  private process: ChildProcess | undefined;
  private log = "";

  private settings: readonly string[];

  private constructor(port: number, dataDirectory: string, settings: readonly string[]) {
    this.settings = settings;
    this.port = port;
    this.dataDirectory = dataDirectory;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** `settings`: further flags of the command line. */
  static async start(...settings: string[]): Promise<Server> {
    const server = new Server(await freePort(), await mkdtemp(join(tmpdir(), "quadrille-e2e-")), settings);
    await server.run();
    return server;
  }

  /** Starts the binary (again), on the same port and data. */
  async run(): Promise<void> {
    const started = spawn(binary(), ["serve", "--listen", `127.0.0.1:${this.port}`, "--data", this.dataDirectory, ...this.settings]);
    this.process = started;
    const keep = (chunk: Buffer): void => {
      this.log += chunk.toString();
    };
    started.stdout?.on("data", keep);
    started.stderr?.on("data", keep);
    const deadlineMs = Date.now() + START_MS_MAX;
    while (Date.now() < deadlineMs) {
      if (started.exitCode !== null) {
        throw new Error(`the server ended with ${started.exitCode}:\n${this.log}`);
      }
      const answers = await fetch(`${this.url}/healthz`).then(
        (response) => response.ok,
        () => false,
      );
      if (answers) {
        return;
      }
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error(`the server does not answer:\n${this.log}`);
  }

  /** Begins anew on the same port and data, with these flags. */
  async change(...settings: string[]): Promise<void> {
    await this.kill();
    this.settings = settings;
    await this.run();
  }

  /** `kill -9`: no time to write anything. */
  async kill(): Promise<void> {
    const running = this.process;
    this.process = undefined;
    if (running && running.exitCode === null) {
      const ended = new Promise((done) => running.once("exit", done));
      running.kill("SIGKILL");
      await ended;
    }
  }

  /** Ends in order and begins anew, after a bit of every place has turned where this text is stored. */
  async damage(text: string): Promise<void> {
    const running = this.process;
    this.process = undefined;
    const ended = new Promise((done) => running?.once("exit", done));
    running?.kill("SIGTERM");
    await ended;
    for (const name of await readdir(this.dataDirectory)) {
      const path = join(this.dataDirectory, name);
      const bytes = await readFile(path);
      for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
        bytes[at] = (bytes[at] ?? 0) ^ 1;
      }
      await writeFile(path, bytes);
    }
    await this.run();
  }

  /** Takes in nothing and answers nothing, while its connections stay open. */
  pause(): void {
    this.process?.kill("SIGSTOP");
  }

  resume(): void {
    this.process?.kill("SIGCONT");
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.dataDirectory, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer();
    probe.once("error", failed);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address ? address.port : 0;
      probe.close(() => done(port));
    });
  });
}
