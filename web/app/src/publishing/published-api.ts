/** Published pages in the REST API (docs/rest.md, "Published pages"). */

import { roomFetch } from "../access/index.ts";
import { serverRefusal, t } from "../language/index.ts";
import { roomApi } from "../rooms/index.ts";

/** A published page with its link. */
export interface PublishedPage {
  readonly id: string;
  /** The path of the page. */
  readonly url: string;
  readonly title: string;
  readonly kind: "workbook" | "sheet" | "name";
  /** The published sheet; `null` when it is gone, and for other kinds. */
  readonly sheet: string | null;
  /** The defined name of a published range. */
  readonly name: string | null;
  /** Where that range is now; `null` when the name is gone. */
  readonly range: string | null;
}

/** What is published; without a sheet the workbook. */
export interface Published {
  readonly title: string;
  readonly sheet?: string;
  readonly range?: string;
}

/** The published pages of a workbook, oldest first. */
export async function listPublished(room: string): Promise<readonly PublishedPage[]> {
  const answer = (await (await send(room, "GET", "")).json()) as { pages: readonly PublishedPage[] };
  return answer.pages;
}

/** Publishes a part of the workbook at a new link. */
export async function publish(room: string, published: Published): Promise<void> {
  await send(room, "POST", "", published);
}

/** Ends the link of a published page. */
export async function stopPublishing(room: string, id: string): Promise<void> {
  await send(room, "DELETE", `/${encodeURIComponent(id)}`);
}

async function send(room: string, method: string, path: string, body?: object): Promise<Response> {
  const content = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await roomFetch(room, `${roomApi(room)}/published${path}`, { method, ...content }).catch(() => {
    throw new Error(t("The server cannot be reached"));
  });
  if (!response.ok) {
    const answer = (await response.json().catch(() => undefined)) as { error?: { code?: string; message?: string } } | undefined;
    const code = answer?.error?.code ?? String(response.status);
    throw new Error(serverRefusal(code) ?? t("The server rejected the change: {reason}", { reason: answer?.error?.message ?? code }));
  }
  return response;
}
