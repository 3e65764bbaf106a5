/** Workbooks with an owner, for states of sharing. */

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
