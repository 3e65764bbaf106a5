/** A toolbar button with an icon. */

import { type PermissionProps, createAvailability } from "./edit-permission.ts";
import { Icon, type IconName } from "./Icon.tsx";

/** Properties of `ToolButton`. */
export interface ToolButtonProps extends PermissionProps {
  /** Stays visible in toolbars that do not fit on the screen. */
  readonly hasPriority?: boolean;
  readonly isSmall?: boolean;
  readonly icon: IconName;
  /** The name, followed by its key in parentheses; the key is not part of the accessible name. */
  readonly label: string;
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
  readonly onPress: () => void;
}

/** A toolbar button that is disabled, with the reason, when its action is not available. */
export function ToolButton(props: ToolButtonProps) {
  const availability = createAvailability(props);
  return (
    <button
      type="button"
      class="tool"
      classList={{ "has-priority": props.hasPriority ?? false, "is-small": props.isSmall ?? false }}
      aria-label={props.label.replace(/ \(.*\)$/, "")}
      title={availability.hint(props.label)}
      aria-pressed={props.isPressed}
      aria-disabled={availability.ariaDisabled()}
      disabled={props.isDisabled ?? false}
      // Keeps the focus in the cell.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => availability.run(props.onPress)}
    >
      <Icon name={props.icon} />
    </button>
  );
}
