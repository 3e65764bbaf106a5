/** The buttons of the header that are loaded after the workbook is editable, in one request. */

import { ChatButton } from "../chat/index.ts";
import { NotificationButton } from "../comments/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The buttons of the notifications and of the chat. */
export function LaterButtons(props: { readonly model: WorkbookModel }) {
  return (
    <>
      <NotificationButton model={props.model} />
      <ChatButton model={props.model} />
    </>
  );
}
