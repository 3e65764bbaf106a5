/** The error that keeps a workbook from opening. */

import { createMemo } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/**
 * Close codes of `CloseReason` (`crates/protocol`) after which the client reconnects and can name
 * the reason.
 */
const ROOM_FULL = 1013;
const TOO_FAST = 4429;
const ROOM_STOPPED = 4500;

/** Texts of a connection error. */
export interface ConnectionError {
  readonly title: string;
  /** A short text for narrow places. */
  readonly short: string;
  readonly text: string;
  /** The server does not answer; with other errors, it does answer requests. */
  readonly isUnreachable?: boolean;
}

/** The current error; must be called inside of a reactive owner. */
export function createConnectionError(model: WorkbookModel): () => ConnectionError | undefined {
  // The error of the last attempt stays while the next one is running.
  const code = createMemo((before: number | null | undefined) => {
    const connection = model.connection();
    return connection.state === "lost" ? connection.code : model.status().isConnected ? undefined : before;
  }, undefined);
  return () => {
    switch (code()) {
      case undefined:
        return undefined;
      case ROOM_FULL:
      case TOO_FAST:
        return {
          title: t("The server is at capacity"),
          short: t("Server at capacity"),
          text: t("The server has reached its user limit. This page keeps trying and opens the workbook when possible."),
        };
      case ROOM_STOPPED:
        return {
          title: t("The server cannot open this workbook"),
          short: t("Cannot be opened"),
          text: t("The stored workbook is damaged or cannot be read. The server's log has the reason; this page keeps trying."),
        };
      default:
        return {
          title: t("The server cannot be reached"),
          short: t("Offline"),
          text: t("This page keeps trying and opens the workbook as soon as the server answers."),
          isUnreachable: true,
        };
    }
  };
}
