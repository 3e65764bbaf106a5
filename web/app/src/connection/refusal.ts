/** Whether the server closed the session for good. */

import type { WorkbookModel } from "../state/index.ts";

/** No role in the room: `access/NoAccess.tsx` takes the place of the workbook. */
const FORBIDDEN = 4403;

/** The closed connection, unless the page shows something else for it. */
export function refusal(model: WorkbookModel) {
  const connection = model.connection();
  return connection.state === "refused" && connection.code !== FORBIDDEN ? connection : undefined;
}
