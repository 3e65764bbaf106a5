/** Why the workbook does not open, until it does. */

import { createMemo } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The close codes of `CloseReason` in crates/protocol after which another attempt is made, as far as people can be told more. */
const ROOM_FULL = 1013;
const TOO_FAST = 4429;
const ROOM_STOPPED = 4500;

export interface ConnectionError {
  readonly title: string;
  /** Where there is little room. */
  readonly short: string;
  readonly text: string;
}

/** Called where its owner is. */
export function createConnectionError(model: WorkbookModel): () => ConnectionError | undefined {
  // An attempt that has only begun does not take away what is known of the last one.
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
          text: t("The server has reached its limit of people. This page keeps trying and opens the workbook as soon as possible."),
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
        };
    }
  };
}
