/**
 * Whether something can be changed at the moment. Tools and entries of menus ask here by themselves, so that no new one is forgotten:
 * where nothing can be changed they are grey and say why, unless they are marked as only looking.
 */

import { createContext, useContext } from "solid-js";

export interface EditPermission {
  /** Why nothing can be changed, where that is so. */
  readonly disabledReason: () => string | undefined;
  /** Why there is nothing to look at either: the workbook is not there. */
  readonly unavailableReason: () => string | undefined;
  /** Says so to whoever tries. */
  readonly may: () => boolean;
}

export const EditPermissionContext = createContext<EditPermission>({ disabledReason: () => undefined, unavailableReason: () => undefined, may: () => true });

export interface Changes {
  /** Changes nothing for others, and can be used where nothing can be changed. */
  readonly onlyLooks?: boolean | undefined;
  /** Only looks, and at what is not there before the workbook is. */
  readonly needsWorkbook?: boolean | undefined;
}

export interface Block {
  /** Why it cannot be used. */
  readonly reason: () => string | undefined;
  /** The name of a tool with the reason below it, as it shows below the pointer. */
  readonly hint: (name: string) => string;
  /** For an element that stays where keys find it, so that the reason can be read. */
  readonly ariaDisabled: () => true | undefined;
  readonly press: (work: () => void) => void;
}

export function createBlock(props: Changes): Block {
  const editPermission = useContext(EditPermissionContext);
  const reason = (): string | undefined =>
    props.needsWorkbook ? editPermission.unavailableReason() : props.onlyLooks ? undefined : editPermission.disabledReason();
  return {
    reason,
    hint: (name) => [name, reason()].filter((line) => line !== undefined).join("\n"),
    ariaDisabled: () => (reason() === undefined ? undefined : true),
    press: (work) => {
      if (reason() === undefined || editPermission.may()) {
        work();
      }
    },
  };
}
