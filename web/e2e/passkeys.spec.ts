import { type CDPSession, expect, type Page, test } from "@playwright/test";
import { OpenIdProvider } from "./openid-provider.ts";
import { Server } from "./server.ts";

/** The browser's virtual authenticator (WebAuthn level 3, section 11). */
class VirtualAuthenticator {
  private constructor(
    private readonly session: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  static async addTo(page: Page): Promise<VirtualAuthenticator> {
    const session = await page.context().newCDPSession(page);
    await session.send("WebAuthn.enable");
    const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualAuthenticator(session, authenticatorId);
  }

  /** Replaces the passkey by a copy of it, as somebody who has stolen it would have one. */
  async copyWithCounter(signCount: number): Promise<void> {
    const authenticatorId = this.authenticatorId;
    const { credentials } = await this.session.send("WebAuthn.getCredentials", { authenticatorId });
    const [credential] = credentials;
    if (!credential) {
      throw new Error("the authenticator has no passkey");
    }
    await this.session.send("WebAuthn.removeCredential", { authenticatorId, credentialId: credential.credentialId });
    await this.session.send("WebAuthn.addCredential", { authenticatorId, credential: { ...credential, signCount } });
  }

  async count(): Promise<number> {
    const { credentials } = await this.session.send("WebAuthn.getCredentials", { authenticatorId: this.authenticatorId });
    return credentials.length;
  }

  async verifyUser(isUserVerified: boolean): Promise<void> {
    await this.session.send("WebAuthn.setUserVerified", { authenticatorId: this.authenticatorId, isUserVerified });
  }
}

/** Registers a passkey for the person who is signed in; the status, or the browser's error. */
function register(page: Page): Promise<number | string> {
  return page.evaluate(async () => {
    const post = (path: string, body: unknown) =>
      fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    const { state, publicKey } = await post("/api/v1/account/passkeys/options", {}).then((response) => response.json());
    try {
      const options = PublicKeyCredential.parseCreationOptionsFromJSON(publicKey);
      const credential = (await navigator.credentials.create({ publicKey: options })) as PublicKeyCredential;
      const added = await post("/api/v1/account/passkeys", { state, label: "Laptop", credential: credential.toJSON() });
      return added.status;
    } catch (error) {
      return (error as Error).name;
    }
  });
}

/** Signs in by passkey; the name of the account, or the error code, or the browser's error. */
function signIn(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const post = (path: string, body: unknown) =>
      fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    const { state, publicKey } = await post("/api/v1/session/passkey/options", {}).then((response) => response.json());
    try {
      const options = PublicKeyCredential.parseRequestOptionsFromJSON(publicKey);
      const credential = (await navigator.credentials.get({ publicKey: options })) as PublicKeyCredential;
      const answer = await post("/api/v1/session/passkey", { state, credential: credential.toJSON() });
      const json = await answer.json();
      return answer.ok ? json.account.name : json.error.code;
    } catch (error) {
      return (error as Error).name;
    }
  });
}

test("a passkey of the browser is registered and signs in without a name", async ({ page }) => {
  const server = await Server.start();
  // Passkeys belong to a domain; for addresses browsers make none.
  const origin = server.url.replace("127.0.0.1", "localhost");
  const provider = await OpenIdProvider.startFor(server, origin);
  try {
    const authenticator = await VirtualAuthenticator.addTo(page);
    await page.goto(`${origin}/_sign-in/certified`);
    await provider.signIn(page, "ada");
    await expect(page).toHaveURL(`${origin}/`);
    expect(await register(page)).toBe(201);
    expect(await authenticator.count()).toBe(1);
    // The browser knows from the options that this authenticator has one already.
    expect(await register(page)).toBe("InvalidStateError");

    await page.evaluate(() => fetch("/api/v1/session", { method: "DELETE" }));
    expect(await signIn(page)).toBe("Ada");
    expect(await signIn(page)).toBe("Ada");

    await authenticator.verifyUser(false);
    expect(await signIn(page)).toBe("NotAllowedError");
    await authenticator.verifyUser(true);

    await authenticator.copyWithCounter(1);
    expect(await signIn(page)).toBe("sign_in_failed");
  } finally {
    provider.stop();
    await server.stop();
  }
});
