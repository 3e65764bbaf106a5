/** Filters a column by one of the colors or icons of its cells. */

import { loadLaterPainters, type Range } from "@quadrille/grid";
import type { DisplayedColors, RuleIcon } from "@quadrille/protocol";
import { createSignal, For, type JSX, Show } from "solid-js";
import { type Message, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { Appearance } from "./filter.ts";

/** The colors and icons of the column as radio buttons. */
export function FilterByAppearance(props: {
  readonly model: WorkbookModel;
  readonly range: Range;
  readonly column: number;
  readonly chosen: Appearance | undefined;
  readonly onChoose: (chosen: Appearance) => void;
}) {
  const { model, range, column } = props;
  const [displayed, setDisplayed] = createSignal<DisplayedColors>();
  void model.session.query({ type: "columnColors", sheet: model.sheetId(), range, column }).then(setDisplayed);
  return (
    <Show when={displayed()} fallback={<p class="cell-list-none">{t("Searching…")}</p>}>
      {(found) => (
        <>
          <Choices {...props} name="Fill colour" choices={colorChoices("color", "No fill", found().fills)} />
          <Choices {...props} name="Text colour" choices={colorChoices("textColor", "Automatic", found().texts)} />
          <Show when={found().icons.some((icon) => icon !== null)}>
            <Choices {...props} name="Icons" choices={iconChoices(found().icons)} />
          </Show>
        </>
      )}
    </Show>
  );
}

interface Choice {
  readonly appearance: Appearance;
  readonly label: string;
  /** Shown instead of the label. */
  readonly picture?: () => JSX.Element;
}

function colorChoices(rule: "color" | "textColor", none: Message, colors: readonly (number | null)[]): readonly Choice[] {
  return colors.map((number) => {
    const color = number === null ? null : `#${number.toString(16).padStart(6, "0")}`;
    return color === null
      ? { appearance: { rule, color }, label: t(none) }
      : { appearance: { rule, color }, label: color, picture: () => <Swatch color={color} /> };
  });
}

function iconChoices(icons: readonly (RuleIcon | null)[]): readonly Choice[] {
  // The lowest first, as the rule lists them.
  const sorted = icons.toSorted((a, b) => (a?.set ?? "").localeCompare(b?.set ?? "") || (a?.index ?? 0) - (b?.index ?? 0));
  return sorted.map((icon) =>
    icon === null
      ? { appearance: { rule: "icon", icon }, label: t("No icon") }
      : {
          appearance: { rule: "icon", icon },
          label: t("Icon {number} of {count}", { number: icon.index + 1, count: Number(icon.set[0]) }),
          picture: () => <IconPicture icon={icon} />,
        },
  );
}

function Choices(props: {
  readonly name: Message;
  readonly choices: readonly Choice[];
  readonly chosen: Appearance | undefined;
  readonly onChoose: (chosen: Appearance) => void;
}) {
  return (
    <fieldset class="filter-colors">
      <legend>{t(props.name)}</legend>
      <For each={props.choices}>
        {({ appearance, label, picture }) => (
          <label class="filter-color" classList={{ "is-none": !picture }}>
            <input
              type="radio"
              name="filter-appearance"
              aria-label={label}
              checked={isSame(props.chosen, appearance)}
              onChange={() => props.onChoose(appearance)}
            />
            {picture ? picture() : <span>{label}</span>}
          </label>
        )}
      </For>
    </fieldset>
  );
}

function isSame(a: Appearance | undefined, b: Appearance): boolean {
  if (a?.rule === "icon" || b.rule === "icon") {
    return a?.rule === "icon" && b.rule === "icon" && a.icon?.set === b.icon?.set && a.icon?.index === b.icon?.index;
  }
  return a?.rule === b.rule && a.color === b.color;
}

function Swatch(props: { readonly color: string }) {
  return (
    <span
      class="color-swatch"
      ref={(element) => {
        element.style.backgroundColor = props.color;
      }}
    />
  );
}

/** Pixels of an icon, as in cells. */
const ICON_PX = 14;

function IconPicture(props: { readonly icon: RuleIcon }) {
  const draw = (canvas: HTMLCanvasElement): void => {
    const scale = Math.ceil(devicePixelRatio);
    canvas.width = ICON_PX * scale;
    canvas.height = ICON_PX * scale;
    canvas.style.width = `${ICON_PX}px`;
    const context = canvas.getContext("2d");
    context?.scale(scale, scale);
    void loadLaterPainters().then(({ paintIcon }) => {
      if (context) {
        paintIcon(context, props.icon.set, props.icon.index, 0, 0, ICON_PX);
      }
    });
  };
  return <canvas aria-hidden="true" ref={draw} />;
}
