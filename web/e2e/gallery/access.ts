/** Workbooks with an owner, for states of sharing. */

import { createHmac } from "node:crypto";
import type { Server } from "../server.ts";

/** Creates a workbook with a title and returns its room and owner key. */
export async function createOwned(server: Server, title: string): Promise<{ readonly room: string; readonly key: string }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.url}/api/v1/rooms`, { method: "POST", headers, body: JSON.stringify({ title, claim: true }) });
  const { room, ownerKey } = (await response.json()) as { room: string; ownerKey: string };
  return { room, key: ownerKey };
}

/** Changes the access of a workbook; returns the answer, if it has one. */
export async function changeAccess(server: Server, room: string, key: string, method: string, path: string, body?: object): Promise<Record<string, string>> {
  const response = await fetch(`${server.url}/api/v1/rooms/${room}/access${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) {
    throw new Error(`${response.status} ${await response.text()}`);
  }
  return response.status === 201 ? ((await response.json()) as Record<string, string>) : {};
}

/** A signed token of the host `wiki` for the workbook `plan` (docs/embedding.md). */
export function hostToken(secret: string, name: string, picture: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const exp = Math.floor(Date.now() / 1_000) + 600;
  const claims = { iss: "wiki", aud: "quadrille", exp, sub: name, name, picture, room: "plan", role: "edit" };
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}
