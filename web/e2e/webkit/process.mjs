/** The processes of a browser: WebKitGTK's MiniBrowser, its WebDriver server, and a display without a screen. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Display } from "./display.mjs";
import { Driver } from "./driver.mjs";
import { Inspector } from "./inspector.mjs";

const DRIVER = process.env.WEBKIT_DRIVER ?? "WebKitWebDriver";

/** Larger than any window of the tests. */
const SCREEN = "2000x1400x24";

const START_MS_MAX = 15_000;

/** Another program may take a port that was free. */
const ATTEMPTS = 3;

/** Where distributions have the small browser that WebDriver starts; Debian names the directory after the processor. */
const BROWSERS = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map((processor) => `/usr/lib/${processor}/webkit2gtk-4.1/MiniBrowser`);

/** A browser without stored data. */
export class WebKitProcess {
  display;
  driver;
  inspector;
  /** Settings, caches and saved files of the browser. */
  home;
  /** Directory of saved files. */
  downloads;
  processes = [];
  isStopped = false;

  /** @param proxyPort port of the HTTP proxy of the browser */
  static async start(proxyPort, languages) {
    for (let attempt = 1; ; attempt += 1) {
      const started = new WebKitProcess();
      try {
        await Promise.race([started.startAll(proxyPort, languages), later(START_MS_MAX)]);
        return started;
      } catch (error) {
        await started.stop();
        if (attempt === ATTEMPTS) {
          throw error;
        }
      }
    }
  }

  async startAll(proxyPort, languages) {
    const screen = this.run("Xvfb", ["-displayfd", "3", "-screen", "0", SCREEN, "-nolisten", "tcp"], process.env, ["ignore", "ignore", "ignore", "pipe"]);
    const [written] = await once(screen.stdio[3], "data");
    const number = written.toString().trim();
    this.display = await Display.open(number);
    this.home = await mkdtemp(join(tmpdir(), "quadrille-webkit-"));
    this.downloads = join(this.home, "Downloads");
    await Promise.all([mkdir(this.downloads), mkdir(join(this.home, ".config"))]);
    await writeFile(join(this.home, ".config/user-dirs.dirs"), 'XDG_DOWNLOAD_DIR="$HOME/Downloads"\n');
    const [inspectorPort, driverPort] = [await freePort(), await freePort()];
    const inspectorAddress = `127.0.0.1:${inspectorPort}`;
    // Without a graphics card, composited layers take twice the processor time.
    const env = { WEBKIT_DISABLE_COMPOSITING_MODE: "1", ...process.env, DISPLAY: `:${number}`, HOME: this.home, LANG: "C.UTF-8", ...(languages && { LANGUAGE: languages.join(":") }) };
    delete env.LC_ALL;
    delete env.XDG_CONFIG_HOME;
    this.run(await browser(), ["--automation", `--proxy=http://127.0.0.1:${proxyPort}`], { ...env, WEBKIT_INSPECTOR_SERVER: inspectorAddress });
    this.run(DRIVER, [`--port=${driverPort}`, `--target=${inspectorAddress}`], env);
    await Promise.all([listens(inspectorPort), listens(driverPort)]);
    this.inspector = new Inspector(inspectorPort);
    this.driver = await Driver.start(`http://127.0.0.1:${driverPort}`, { unhandledPromptBehavior: "accept", pageLoadStrategy: "none" });
  }

  run(program, flags, env, stdio = "ignore") {
    if (this.isStopped) {
      throw new Error("the browser took too long to start");
    }
    const child = spawn(program, flags, { env, stdio });
    child.on("error", () => process.stderr.write(`no ${program}; on Debian: apt-get install webkit2gtk-driver xvfb\n`));
    this.processes.push(child);
    return child;
  }

  async stop() {
    this.isStopped = true;
    this.inspector?.close();
    this.display?.close();
    for (const child of this.processes.toReversed()) {
      child.kill("SIGKILL");
    }
    if (this.home) {
      await rm(this.home, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

function later(milliseconds) {
  return new Promise((_, reject) => setTimeout(() => reject(new Error("the browser does not start")), milliseconds).unref());
}

async function browser() {
  for (const path of BROWSERS) {
    if (await access(path).then(() => true, () => false)) {
      return path;
    }
  }
  throw new Error(`none of ${BROWSERS.join(", ")}; on Debian: apt-get install webkit2gtk-driver`);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until a port of this machine accepts connections. */
async function listens(port) {
  const end = Date.now() + START_MS_MAX;
  while (Date.now() < end) {
    const socket = connect(port, "127.0.0.1");
    const accepted = await Promise.race([once(socket, "connect").then(() => true), once(socket, "error").then(() => false)]).catch(() => false);
    socket.destroy();
    if (accepted) {
      return;
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`nothing listens on port ${port}`);
}
