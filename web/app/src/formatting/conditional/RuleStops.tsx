/** Where the colours of a scale lie, and from where on which icon shows. */

import { For, Index, Show } from "solid-js";
import { type Message, t } from "../../language/index.ts";
import { MIDDLE, type Stop, defaultLimits } from "./rule-draft.ts";
import { ColorField } from "./RuleStyle.tsx";

const PLACES = [
  ["minimum", "Lowest value"],
  ["maximum", "Highest value"],
  ["number", "Number"],
  ["percent", "Percent"],
  ["percentile", "Percentile"],
  ["formula", "Formula"],
] as const satisfies readonly (readonly [at: string, name: Message])[];
/** The lowest and the highest are no limits between icons. */
const LIMITS = PLACES.slice(2);

const SCALE_NAMES = {
  2: ["Lowest", "Highest"],
  3: ["Lowest", "Middle|of a scale", "Highest"],
} as const satisfies Record<number, readonly Message[]>;

export function ScaleStops(props: { readonly stops: readonly Stop[]; readonly onChange: (stops: readonly Stop[]) => void }) {
  const names = () => SCALE_NAMES[props.stops.length === 2 ? 2 : 3];
  /** From two colours to three, and back. */
  const setMiddle = (has: boolean): void => {
    const [low, high] = [props.stops[0], props.stops.at(-1)];
    if (low && high) {
      props.onChange(has ? [low, MIDDLE, high] : [low, high]);
    }
  };
  return (
    <>
      <Index each={props.stops}>
        {(stop, at) => {
          const name = () => t(names()[at] ?? "Highest");
          const change = (part: Partial<Stop>): void => props.onChange(changed(props.stops, at, part));
          return (
            <div class="rule-stop-line" role="group" aria-label={name()}>
              <span>{name()}</span>
              <ColorField label={name()} value={stop().color || "#ffffff"} onChange={(color) => change({ color })} />
              <StopPlace places={PLACES} stop={stop()} onChange={change} />
            </div>
          );
        }}
      </Index>
      <label class="check">
        <input type="checkbox" checked={props.stops.length > 2} onChange={(event) => setMiddle(event.currentTarget.checked)} />
        {t("3-colour scale")}
      </label>
    </>
  );
}

export function IconLimits(props: { readonly set: string; readonly limits: readonly Stop[]; readonly onChange: (limits: readonly Stop[]) => void }) {
  const limits = () => (props.limits.length > 0 ? props.limits : defaultLimits(props.set));
  return (
    <Index each={limits()}>
      {(limit, at) => {
        const name = () => t("Icon {number} from", { number: at + 2 });
        return (
          <div class="rule-stop-line is-limit" role="group" aria-label={name()}>
            <span>{name()}</span>
            <StopPlace places={LIMITS} stop={limit()} onChange={(part) => props.onChange(changed(limits(), at, part))} />
          </div>
        );
      }}
    </Index>
  );
}

function changed(stops: readonly Stop[], at: number, part: Partial<Stop>): readonly Stop[] {
  return stops.map((stop, index) => (index === at ? { ...stop, ...part } : stop));
}

function StopPlace(props: { readonly places: readonly (readonly [at: string, name: Message])[]; readonly stop: Stop; readonly onChange: (part: Partial<Stop>) => void }) {
  const hasValue = () => !["minimum", "maximum", "automatic"].includes(props.stop.at);
  return (
    <>
      <select class="field" aria-label={t("Place")} onChange={(event) => props.onChange({ at: props.places[event.currentTarget.selectedIndex]?.[0] ?? "number" })}>
        <For each={props.places}>{([at, name]) => <option selected={props.stop.at === at}>{t(name)}</option>}</For>
      </select>
      <Show when={hasValue()} fallback={<span />}>
        <input
          class="field"
          dir="ltr"
          aria-label={t("Value")}
          type={props.stop.at === "formula" ? "text" : "number"}
          step="any"
          value={props.stop.value}
          onInput={(event) => props.onChange({ value: event.currentTarget.value })}
        />
      </Show>
    </>
  );
}
