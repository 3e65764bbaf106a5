/**
 * Edit permission for components. Toolbar buttons, menu entries and fields read it from a context,
 * so that a new one is disabled like the others and shows the reason, unless it is marked
 * `isForViewers`.
 */

import { createContext, useContext } from "solid-js";

/** Whether the workbook can be edited at the moment. */
export interface EditPermission {
  /** Why editing is disabled; `undefined` when the workbook can be edited. */
  readonly disabledReason: () => string | undefined;
  /** Why comments cannot be written either. */
  readonly commentReason: () => string | undefined;
  /** Why the workbook cannot be viewed either: it is not loaded. */
  readonly unavailableReason: () => string | undefined;
  /** Why the server cannot answer requests; `undefined` while it can, as far as is known. */
  readonly serverReason: () => string | undefined;
  /** Whether the workbook can be edited; if not, shows the reason as a toast. */
  readonly checkCanEdit: () => boolean;
}

/** The edit permission of the workbook around a component. */
export const EditPermissionContext = createContext<EditPermission>({
  disabledReason: () => undefined,
  commentReason: () => undefined,
  unavailableReason: () => undefined,
  serverReason: () => undefined,
  checkCanEdit: () => true,
});

/** What an action needs; by default it needs edit permission. */
export interface PermissionProps {
  /** The action does not change the workbook for others. */
  readonly isForViewers?: boolean | undefined;
  /** The action changes comments only. */
  readonly isForCommenters?: boolean | undefined;
  /** The action does not change the workbook but needs it to be loaded. */
  readonly needsWorkbook?: boolean | undefined;
  /** The action is one of the server, also when it does not change the workbook. */
  readonly needsServer?: boolean | undefined;
}

/** Whether an action is available, for the element that starts it. */
export interface Availability {
  /** Why the action is not available. */
  readonly reason: () => string | undefined;
  /** The tooltip: the name of the action, with the reason on the next line. */
  readonly hint: (name: string) => string;
  /** `aria-disabled`: the element stays focusable, so that the reason can be read. */
  readonly ariaDisabled: () => true | undefined;
  /** Runs the action if it is available; otherwise shows the reason as a toast. */
  readonly run: (action: () => void) => void;
}

/** The availability of an action in the current context. */
export function createAvailability(props: PermissionProps): Availability {
  const editPermission = useContext(EditPermissionContext);
  const reason = (): string | undefined => (props.needsServer ? editPermission.serverReason() : undefined) ?? permissionReason();
  const permissionReason = (): string | undefined =>
    props.needsWorkbook
      ? editPermission.unavailableReason()
      : props.isForViewers
        ? undefined
        : props.isForCommenters
          ? editPermission.commentReason()
          : editPermission.disabledReason();
  return {
    reason,
    hint: (name) => [name, reason()].filter((line) => line !== undefined).join("\n"),
    ariaDisabled: () => (reason() === undefined ? undefined : true),
    run: (action) => {
      if (reason() === undefined || editPermission.checkCanEdit()) {
        action();
      }
    },
  };
}
