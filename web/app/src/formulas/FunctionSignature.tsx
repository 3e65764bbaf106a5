/** The signature of a function, from left to right in every language. */

import { argumentParts } from "@quadrille/editor";
import { Index } from "solid-js";
import type { FunctionHelp } from "../language/index.ts";

/** The name of a function with its arguments. */
export function FunctionSignature(props: {
  readonly help: FunctionHelp;
  readonly separator: string;
  /** Index of the highlighted argument. */
  readonly argument?: number;
}) {
  return (
    <code dir="ltr">
      {props.help.name}(
      <Index each={argumentParts(props.help.arguments, props.argument ?? -1)}>
        {(argument, index) => (
          <>
            {index > 0 ? `${props.separator} ` : ""}
            <span classList={{ "is-current": argument().isCurrent }}>{argument().text}</span>
          </>
        )}
      </Index>
      )
    </code>
  );
}
