/** A button with a sign on it, that does something to the workbook. */

import { type Changes, createBlock } from "./edit-permission.ts";
import { Icon, type IconName } from "./Icon.tsx";

export interface ToolButtonProps extends Changes {
  /** Before the others where not all have room. */
  readonly isFirst?: boolean;
  readonly isSmall?: boolean;
  readonly icon: IconName;
  /** What is in brackets at its end is the key that does the same, and no part of the name. */
  readonly label: string;
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
  readonly onPress: () => void;
}

export function ToolButton(props: ToolButtonProps) {
  const block = createBlock(props);
  return (
    <button
      type="button"
      class="tool"
      classList={{ "is-first": props.isFirst ?? false, "is-small": props.isSmall ?? false }}
      aria-label={props.label.replace(/ \(.*\)$/, "")}
      title={block.hint(props.label)}
      aria-pressed={props.isPressed}
      aria-disabled={block.ariaDisabled()}
      disabled={props.isDisabled ?? false}
      // The caret stays in the cell.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => block.press(props.onPress)}
    >
      <Icon name={props.icon} />
    </button>
  );
}
