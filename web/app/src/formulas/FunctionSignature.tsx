/** A function as a formula calls it: from the left in every language. */

import { argumentParts } from "@quadrille/editor";
import { Index } from "solid-js";
import type { KnownFunction } from "../language/index.ts";

export function FunctionSignature(props: {
  readonly known: KnownFunction;
  readonly separator: string;
  /** The one being filled in. */
  readonly argument?: number;
}) {
  return (
    <code dir="ltr">
      {props.known.name}(
      <Index each={argumentParts(props.known.arguments, props.argument ?? -1)}>
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
