/**
 * Orca, the screen reader of Debian's desktops, with Firefox on a display without a screen: keys go in
 * as from a keyboard, and what the speech dispatcher is given to speak comes out.
 */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { expect } from "@playwright/test";

const FIREFOX = process.env["FIREFOX"] ?? "firefox-esr";

/** Time in which something must be spoken. Orca asks Firefox about each object. */
const SPOKEN_MS_MAX = 30_000;
/** The same after a key that is one of several steps to what is wanted. */
const STEP_MS_MAX = 2_000;
/** Orca ignores what happens while it handles a key. */
const KEY_PAUSE_MS = 300;

/**
 * Orca begins when accessibility is switched on in the session of the desktop. A window manager
 * gives windows the focus; Openbox is a small one.
 */
const SESSION = `
set -eu
dbus-send --session --print-reply --dest=org.a11y.Bus /org/a11y/bus org.freedesktop.DBus.Properties.Set \\
  string:org.a11y.Status string:IsEnabled variant:boolean:true
speech-dispatcher --run-single &
openbox &
until [ -S "$XDG_RUNTIME_DIR/speech-dispatcher/speechd.sock" ]; do sleep 0.1; done
orca --replace --disable braille &
until grep -q "Screen reader on" "$1" 2>/dev/null; do sleep 0.2; done
exec "$2" --no-remote --new-instance --profile "$3" --kiosk "$4"
`;

/** Settings of Firefox: no pages of its own at the first start, and accessibility at once. */
const PREFERENCES = {
  "accessibility.force_disabled": -1,
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "toolkit.telemetry.reportingpolicy.firstRun": false,
};

/** Files of the home directory. */
const SETTINGS: Readonly<Record<string, string>> = {
  // The speech dispatcher writes what is to be spoken to the file `spoken`, and needs a device, without an outlet.
  ".asoundrc": "pcm.!default { type null }\nctl.!default { type null }\n",
  ".config/speech-dispatcher/speechd.conf": 'Timeout 0\nAudioOutputMethod "alsa"\nAddModule "written" "sd_generic" "written.conf"\nDefaultModule written\n',
  ".config/speech-dispatcher/modules/written.conf": `GenericExecuteSynth "echo \\'$DATA\\' >> $HOME/spoken"\nAddVoice "en" "MALE1" "en"\n`,
  // Orca does not read out the page and echoes no keys.
  ".local/share/orca/orca-customizations.py": `import orca.settings as settings
settings.sayAllOnLoad = False
settings.pageSummaryOnLoad = False
settings.enableKeyEcho = False
`,
};

/** A running screen reader and the page that it reads. */
export class Orca {
  private readonly home: string;
  private readonly display: string;
  private readonly processes: readonly ChildProcess[];
  /** Number of texts that were spoken before the latest keys. */
  private heardCount = 0;

  private constructor(home: string, display: string, processes: readonly ChildProcess[]) {
    this.home = home;
    this.display = display;
    this.processes = processes;
  }

  /** Opens a workbook, and waits until its cells have the focus. */
  static async start(url: string): Promise<Orca> {
    // Process groups, which end as a whole.
    const screen = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1280x900x24", "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"], detached: true });
    const written = once(screen.stdio[3] as Readable, "data") as Promise<[Buffer]>;
    const [number] = await Promise.race([failure(screen), written]);
    const display = `:${number.toString().trim()}`;
    const home = await mkdtemp(join(tmpdir(), "quadrille-orca-"));
    const profile = join(home, "firefox");
    await mkdir(profile);
    await mkdir(join(home, "run"), { mode: 0o700 });
    for (const [file, text] of Object.entries(SETTINGS)) {
      await mkdir(dirname(join(home, file)), { recursive: true });
      await writeFile(join(home, file), text);
    }
    const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
    await writeFile(join(profile, "user.js"), lines.join("\n"));
    const env = {
      PATH: process.env["PATH"],
      DISPLAY: display,
      HOME: home,
      XDG_RUNTIME_DIR: join(home, "run"),
      LANG: "C.UTF-8",
      GTK_MODULES: "gail:atk-bridge",
      GNOME_ACCESSIBILITY: "1",
    };
    const session = ["dbus-run-session", "--", "sh", "-c", SESSION, "sh", join(home, "spoken"), FIREFOX, profile, url];
    const desktop = spawn(session[0] ?? "", session.slice(1), { env, stdio: "ignore", detached: true });
    const orca = new Orca(home, display, [desktop, screen]);
    const arrived = orca.hears("Focus mode").then(() => orca.focusWindow());
    try {
      await Promise.race([failure(desktop), arrived]);
    } catch (error) {
      await orca.stop();
      throw error;
    }
    return orca;
  }

  private async focusWindow(): Promise<void> {
    const found = await this.xdotool("search", "--onlyvisible", "--name", "Quadrille");
    await this.xdotool("windowfocus", "--sync", found.trim().split("\n").at(-1) ?? "");
  }

  /** Presses keys by their names in X11, such as `ctrl+Home`. Earlier speech does not count from now on. */
  async press(...keys: string[]): Promise<void> {
    this.heardCount = (await this.spoken()).length;
    for (const key of keys) {
      await this.xdotool("key", "--clearmodifiers", key);
      await new Promise((done) => setTimeout(done, KEY_PAUSE_MS));
    }
  }

  /** Types a text. Earlier speech does not count from now on. */
  async type(text: string): Promise<void> {
    this.heardCount = (await this.spoken()).length;
    await this.xdotool("type", "--delay", "80", text);
  }

  /** Goes to a cell by the name box, and expects what is said there. */
  async goTo(cell: string, said: string): Promise<void> {
    await this.press("ctrl+g");
    await this.hears("Name box");
    await this.type(cell);
    await this.press("Return");
    await this.hears(said);
  }

  /** Presses a key, and again until a text is said. */
  async pressUntil(key: string, said: string): Promise<void> {
    await expect(async () => {
      await this.press(key);
      await this.hearsWithin(STEP_MS_MAX, [said]);
    }).toPass({ intervals: [0], timeout: SPOKEN_MS_MAX });
  }

  /** Expects that the latest keys made Orca say these texts, in this order, with others between them. */
  async hears(...texts: readonly string[]): Promise<void> {
    await this.hearsWithin(SPOKEN_MS_MAX, texts);
  }

  private async hearsWithin(timeoutMs: number, texts: readonly string[]): Promise<void> {
    const missing = async (): Promise<string> => {
      const spoken = (await this.spoken()).slice(this.heardCount);
      let at = 0;
      for (const text of texts) {
        const found = spoken.slice(at).findIndex((said) => said.includes(text));
        if (found < 0) {
          return `“${text}” in ${JSON.stringify(spoken)}`;
        }
        at += found + 1;
      }
      return "";
    };
    await expect.poll(missing, { message: "not spoken", timeout: timeoutMs }).toBe("");
  }

  private async spoken(): Promise<readonly string[]> {
    const text = await readFile(join(this.home, "spoken"), "utf8").catch(() => "");
    return text.split("\n").slice(0, -1);
  }

  private async xdotool(...given: string[]): Promise<string> {
    return (await promisify(execFile)("xdotool", given, { env: { ...process.env, DISPLAY: this.display } })).stdout;
  }

  async stop(): Promise<void> {
    for (const running of this.processes) {
      const ended = running.exitCode === null && running.signalCode === null ? once(running, "exit") : undefined;
      try {
        process.kill(-(running.pid ?? 0), "SIGKILL");
      } catch {
        // All processes of the group have ended.
      }
      await ended;
    }
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Rejects when a program is not installed or ends at once. */
function failure(started: ChildProcess): Promise<never> {
  return new Promise((_, reject) => {
    const packages = "orca speech-dispatcher openbox xdotool xvfb dbus firefox-esr";
    started.once("error", () => reject(new Error(`no ${started.spawnfile}; on Debian: apt-get install ${packages}`)));
    started.once("exit", (code) => reject(new Error(`${started.spawnfile} ended with ${code}`)));
  });
}
