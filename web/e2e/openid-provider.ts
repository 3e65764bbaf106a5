/** Runs the certified OpenID provider of npm beside a server, and signs in to it as a person does. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { Server } from "./server.ts";

/** One provider process. */
export class OpenIdProvider {
  readonly issuer: string;
  private readonly process: ChildProcess;

  private constructor(issuer: string, started: ChildProcess) {
    this.issuer = issuer;
    this.process = started;
  }

  /** Starts a provider and restarts the server with it, as `certified`. Browsers use the server at `origin`. */
  static async startFor(server: Server, origin: string, settings: Readonly<Record<string, unknown>> = {}): Promise<OpenIdProvider> {
    const script = join(import.meta.dirname, "openid-provider.mjs");
    const started = spawn(process.execPath, [script, `${origin}/_sign-in/certified/callback`, `${origin}/`], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const issuer = await new Promise<string>((done, failed) => {
      started.once("exit", (code) => failed(new Error(`the provider ended with ${code}`)));
      createInterface({ input: started.stdout }).once("line", done);
    });
    const provider = new OpenIdProvider(issuer, started);
    const setting = {
      id: "certified",
      name: "Certified provider",
      issuer,
      client_id: "quadrille",
      client_secret: "the secret of the browser tests",
      scopes: ["email", "profile", "groups"],
      ...settings,
    };
    await server.change("--access", "accounts", "--openid", JSON.stringify([setting]));
    return provider;
  }

  /** Fills in the provider's pages, on which the browser is: a name, any password, consent. */
  async signIn(page: Page, name: string): Promise<void> {
    await page.locator("input[name=login]").fill(name);
    await page.locator("input[name=password]").fill("any");
    await page.locator("button[type=submit]").click();
    await page.getByRole("button", { name: "Continue" }).click();
  }

  stop(): void {
    this.process.kill();
  }
}
