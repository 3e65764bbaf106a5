/** What the role of the session allows, while the workbook is open and when the role changes. */

import type { Command, Status } from "@quadrille/protocol";
import type { Connection } from "@quadrille/session";
import { createEffect, createMemo, createSignal, onCleanup } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { Identification } from "./identification.ts";
import { credentialOf, nameInToken, ownerKeyOf, rejectCredential, settledCredential } from "./credentials.ts";

/** The close code of a session without a role (docs/protocol.md). */
const FORBIDDEN = 4403;
/** The workbook opens without a key from a server that does not answer a claim for this long. */
const CREDENTIAL_MS_MAX = 1_500;

/** How often owners learn of new requests. */
const OWNER_INFO_MS = 60_000;

/** What owners are told about the access of their workbook. */
export interface OwnerInfo {
  /** Number of requests for access that wait for an answer. */
  readonly requests: number;
  readonly trashedMs: number | null;
}

/** What somebody without the role `edit` may do. */
export type LimitedRole = "view" | "comment";

/** The access of one open workbook. */
export class SessionAccess {
  private readonly model: WorkbookModel;
  private readonly hasJoinedSignal = createSignal(false);
  /** Whether the server has opened the workbook since the page was loaded. */
  readonly hasJoined = this.hasJoinedSignal[0];
  /** The role of people who cannot edit; `undefined` for editors, and while loading. */
  readonly limitedRole: () => LimitedRole | undefined;
  /** Whether this browser or its account owns the workbook. */
  readonly isOwner: () => boolean;
  private readonly ownerInfoSignal = createSignal<OwnerInfo>();
  /** What owners are told beside the Share button; `undefined` until it is loaded, and for others. */
  readonly ownerInfo = this.ownerInfoSignal[0];
  private credential: string | undefined;
  /** Who the person is to the server. */
  readonly identification: Identification;

  constructor(model: WorkbookModel) {
    this.model = model;
    this.identification = new Identification(model);
    this.limitedRole = createMemo(() => roleOf(model.status()));
    this.isOwner = createMemo(() => model.status().isOwner || (model.status().isReady && ownerKeyOf(model.room) !== undefined));
    createEffect(() => {
      if (this.isOwner() && this.hasJoined() && model.status().isReady) {
        // After the code that is needed for editing.
        setTimeout(() => void this.refreshOwnerInfo());
        const timer = setInterval(() => {
          if (document.visibilityState === "visible") {
            void this.refreshOwnerInfo();
          }
        }, OWNER_INFO_MS);
        onCleanup(() => clearInterval(timer));
      }
    });
  }

  /** Reads the open requests and the state of the trash. */
  async refreshOwnerInfo(): Promise<void> {
    try {
      const { readAccess } = await import("./access-api.ts");
      const access = await readAccess(this.model.room);
      this.ownerInfoSignal[1](access?.requests && { requests: access.requests.length, trashedMs: access.trashedMs });
    } catch {
      // The next attempt follows; nothing else depends on it.
    }
  }

  /** The credential for the first connection. */
  async firstCredential(): Promise<string | undefined> {
    const { room } = this.model;
    const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, CREDENTIAL_MS_MAX));
    this.credential = await Promise.race([settledCredential(room), timeout.then(() => credentialOf(room))]);
    return this.credential;
  }

  /** Connects with the credential that this browser has now. */
  reconnect(): void {
    this.credential = credentialOf(this.model.room);
    this.model.session.reconnect(this.credential);
  }

  /**
   * Handles a change of the connection. When the server refuses a credential, the next one of this
   * browser is tried, and at last none, for which the general access counts.
   */
  connectionChanged(connection: Connection, report: (connection: Connection) => void): void {
    if (connection.state === "refused" && connection.code === FORBIDDEN && this.credential !== undefined) {
      rejectCredential(this.model.room, this.credential);
      this.reconnect();
    } else {
      report(connection);
    }
  }

  /** Reports a role that has changed while the workbook is open. */
  statusChanged(before: Status, after: Status): void {
    this.identification.connected(after.isConnected);
    if (!after.isReady || !after.isConnected) {
      return;
    }
    const [old, role] = [roleOf(before), roleOf(after)];
    if (this.hasJoined() && old !== role) {
      this.model.toast(changedText(role), false, { icon: role === "view" ? "eye" : role === "comment" ? "comment" : "edit" });
    }
    this.hasJoinedSignal[1](true);
    const name = nameInToken(this.credential);
    if (name !== undefined) {
      this.model.setAccountName(name, false);
    }
  }

  /** Sends a command that changes comments only, if the role allows that. */
  comment(command: Command): void {
    if (this.checkCanComment()) {
      this.model.sendCommand(command);
    }
  }

  /** Whether comments can be written; if not, shows the reason. */
  checkCanComment(): boolean {
    return this.canComment() || this.model.checkCanEdit();
  }

  /** Whether comments and chat messages can be written. */
  canComment(): boolean {
    return this.model.status().isReady && this.model.status().canComment;
  }
}

function roleOf({ isReady, canEdit, canComment }: Status): LimitedRole | undefined {
  return !isReady || canEdit ? undefined : canComment ? "comment" : "view";
}

function changedText(role: LimitedRole | undefined): string {
  switch (role) {
    case "view":
      return t("You can now only view this workbook.");
    case "comment":
      return t("You can now only view and comment on this workbook.");
    case undefined:
      return t("You can now edit this workbook.");
  }
}
