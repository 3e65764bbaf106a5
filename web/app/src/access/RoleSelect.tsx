/** A menu of roles. */

import { For } from "solid-js";
import type { SharedRole } from "./access-api.ts";
import { roleName, SHARED_ROLES } from "./roles.ts";

/** A menu of the roles that can be given away. */
export function RoleSelect(props: { readonly label: string; readonly value: SharedRole; readonly onChange: (role: SharedRole) => void }) {
  return (
    <select
      class="field share-role"
      aria-label={props.label}
      value={props.value}
      onChange={(event) => props.onChange(SHARED_ROLES.find((role) => role === event.currentTarget.value) ?? props.value)}
    >
      <For each={SHARED_ROLES}>{(role) => <option value={role} selected={role === props.value}>{roleName(role)}</option>}</For>
    </select>
  );
}
