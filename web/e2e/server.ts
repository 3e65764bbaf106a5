/** Runs the server binary on a free port with a temporary data directory. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const START_MS_MAX = 20_000;

/** The server binary under test. */
export function binary(): string {
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

/** An account that a server has from the start. */
export interface Admin {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** One server process. */
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
    const scheme = settings.includes("--tls-certificate") ? "https" : "http";
    this.url = `${scheme}://127.0.0.1:${port}`;
  }

  /** Starts a server with additional command line flags. */
  static async start(...settings: string[]): Promise<Server> {
    const server = new Server(await freePort(), await mkdtemp(join(tmpdir(), "quadrille-e2e-")), settings);
    await server.run();
    return server;
  }

  /** Starts a server with accounts, of which an administrator has one. */
  static async startWithAdmin(admin: Admin, ...settings: string[]): Promise<Server> {
    const server = new Server(await freePort(), await mkdtemp(join(tmpdir(), "quadrille-e2e-")), ["--access", "accounts", ...settings]);
    await server.createAdmin(admin);
    await server.run();
    return server;
  }

  /** Creates an administrator on the command line; the server must not be running. */
  private async createAdmin({ name, email, password }: Admin): Promise<void> {
    const created = spawn(binary(), ["admin", "create", "--email", email, "--name", name, "--password", "--data", this.dataDirectory], { stdio: ["pipe", "pipe", "pipe"] });
    let output = "";
    const keep = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    created.stdout.on("data", keep);
    created.stderr.on("data", keep);
    created.stdin.end(`${password}\n`);
    const code = await new Promise((done) => created.once("exit", done));
    if (code !== 0) {
      throw new Error(`the administrator was not created:\n${output}`);
    }
  }

  /** The URL with a domain name instead of an IP address, as passkeys need it. */
  get namedUrl(): string {
    return this.url.replace("127.0.0.1", "localhost");
  }

  /** Starts the binary on the same port and data. */
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
      // Node trusts no certificate of a test.
      const answers = this.url.startsWith("https:")
        ? this.log.includes("Quadrille listens on")
        : await fetch(`${this.url}/healthz`).then(
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

  /** Restarts with other flags on the same port and data. */
  async change(...settings: string[]): Promise<void> {
    await this.kill();
    this.settings = settings;
    await this.run();
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    const running = this.process;
    this.process = undefined;
    if (running && running.exitCode === null) {
      const ended = new Promise((done) => running.once("exit", done));
      running.kill("SIGKILL");
      await ended;
    }
  }

  /** Stops the process for a while, as a machine that is overloaded does. Its connections stay open. */
  async paused(work: () => Promise<void>): Promise<void> {
    this.process?.kill("SIGSTOP");
    try {
      await work();
    } finally {
      this.process?.kill("SIGCONT");
    }
  }

  /** Stops the server, flips a bit in each stored occurrence of `text`, and starts it again. */
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

  /** Suspends the process; its connections stay open. */
  pause(): void {
    this.process?.kill("SIGSTOP");
  }

  /** Continues a suspended process. */
  resume(): void {
    this.process?.kill("SIGCONT");
  }

  /** Kills the process and deletes its data. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.dataDirectory, { recursive: true, force: true });
  }
}

/** A port on which nothing listens. */
export function freePort(): Promise<number> {
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
