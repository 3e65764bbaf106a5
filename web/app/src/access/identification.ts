/**
 * Who the person of this page is to the server: asked after each connection, for protected ranges
 * that name their editors. Owners are told here that somebody asks for access.
 */

import { isAboutAccess, isFollowing } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import type { VerifiedPerson } from "../protection/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { askPictureFrame, identifyFrame, readAccessFrame } from "./frames.ts";
import { Pictures } from "./pictures.ts";

/** Handles a frame that bypasses the engine. */
export function receivePageFrame(model: WorkbookModel, frame: Uint8Array): void {
  if (isFollowing(frame)) {
    model.following.receive(frame);
  } else if (isAboutAccess(frame)) {
    model.access.identification.receive(frame);
  } else {
    model.onChatFrame?.(frame);
  }
}

/** The identification of one open workbook. */
export class Identification {
  private readonly model: WorkbookModel;
  private readonly signal = createSignal<{ readonly account: string; readonly email: string }>();
  private isConnected = false;
  /** What people look like. */
  readonly pictures = new Pictures((session) => this.model.session.sendFrame(askPictureFrame(session)));

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** The person; `undefined` until the server has answered. Owners need no answer. */
  person(): VerifiedPerson | undefined {
    const identified = this.signal[0]();
    const { isOwner } = this.model.status();
    return identified || isOwner ? { account: "", email: "", ...identified, isOwner } : undefined;
  }

  /** Asks after a new connection, whose credentials may be others. */
  connected(isConnected: boolean): void {
    if (isConnected && !this.isConnected) {
      this.model.session.sendFrame(identifyFrame());
    }
    this.isConnected = isConnected;
    this.pictures.connected(isConnected);
  }

  /** Handles a frame about the person or about access. */
  receive(bytes: Uint8Array): void {
    const frame = readAccessFrame(bytes);
    switch (frame.type) {
      case "identified": {
        const { account, email } = frame;
        this.signal[1]({ account, email });
        this.model.session.send({ type: "identified", account, email });
        this.model.items.personChanged();
        return;
      }
      case "accessRequested":
        void this.model.access.refreshOwnerInfo();
        return;
      case "picture":
        this.pictures.receive(frame.of, frame.url);
        return;
      default:
        unknown(frame);
    }
  }
}

function unknown(frame: never): never {
  throw new Error(`unknown frame: ${JSON.stringify(frame)}`);
}
