/**
 * Passkeys by the JSON methods of Web Authentication Level 3
 * (https://www.w3.org/TR/webauthn-3/, 5.1.8 to 5.1.10). Browsers without them do not offer passkeys.
 */

import { serverPath } from "../base-path.ts";
import { request } from "./request.ts";
import type { SessionState } from "./session.ts";

/** Options of the server for one ceremony. */
interface Options<PublicKey> {
  /** Returned to the server with the credential. */
  readonly state: unknown;
  readonly publicKey: PublicKey;
}

/** Whether this browser can use passkeys on this page: they belong to a domain name, not to an IP address. */
export function supportsPasskeys(): boolean {
  return (
    window.isSecureContext &&
    !/^[\d.]+$|^\[/.test(location.hostname) &&
    typeof PublicKeyCredential === "function" &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === "function" &&
    typeof PublicKeyCredential.parseCreationOptionsFromJSON === "function"
  );
}

/** Whether the browser can suggest passkeys in the field for the e-mail address. */
export async function suggestsPasskeys(): Promise<boolean> {
  return supportsPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;
}

/**
 * Signs in with a passkey that the person chooses; with `isSuggested`, one that the browser suggests
 * in a field. `undefined` when the person cancels. Rejects with `RequestFailed`.
 */
export async function signInWithPasskey(signal: AbortSignal, isSuggested: boolean): Promise<SessionState | undefined> {
  const { state, publicKey } = await request<Options<PublicKeyCredentialRequestOptionsJSON>>("POST", serverPath("/api/v1/session/passkey/options"));
  const credential = await chosen(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey),
      signal,
      ...(isSuggested && { mediation: "conditional" as const }),
    }),
  );
  return credential && request<SessionState>("POST", serverPath("/api/v1/session/passkey"), { state, credential: credential.toJSON() });
}

/** The new passkey of the person, to be sent with its label; `undefined` when the person cancels. */
export async function createPasskey(): Promise<{ readonly state: unknown; readonly credential: unknown } | undefined> {
  const { state, publicKey } = await request<Options<PublicKeyCredentialCreationOptionsJSON>>("POST", serverPath("/api/v1/account/passkeys/options"));
  const credential = await chosen(() => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) }));
  return credential && { state, credential: credential.toJSON() };
}

/** The authenticator already has a passkey of this account. */
export class PasskeyExists extends Error {}

async function chosen(ceremony: () => Promise<Credential | null>): Promise<PublicKeyCredential | undefined> {
  try {
    const credential = await ceremony();
    return credential instanceof PublicKeyCredential ? credential : undefined;
  } catch (error) {
    const name = error instanceof DOMException ? error.name : "";
    // `NotAllowedError` also stands for a timeout and for a device without a passkey.
    if (name === "NotAllowedError" || name === "AbortError") {
      return undefined;
    }
    if (name === "InvalidStateError") {
      throw new PasskeyExists();
    }
    throw error;
  }
}
