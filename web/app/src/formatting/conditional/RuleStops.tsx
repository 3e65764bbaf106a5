/** The fields for the stops of a color scale and the thresholds of an icon set. */

import { For, Index, Show } from "solid-js";
import { type Message, t } from "../../language/index.ts";
import { MIDDLE, type Stop, defaultLimits } from "./rule-draft.ts";
import { ColorField } from "./RuleStyle.tsx";

const STOP_TYPES = [
  ["minimum", "Lowest value"],
  ["maximum", "Highest value"],
  ["number", "Number"],
  ["percent", "Percent"],
  ["percentile", "Percentile"],
  ["formula", "Formula"],
] as const satisfies readonly (readonly [at: string, name: Message])[];
/** Icon thresholds cannot be the minimum or maximum. */
const THRESHOLD_TYPES = STOP_TYPES.slice(2);

const SCALE_NAMES = {
  2: ["Minimum|of a scale", "Maximum|of a scale"],
  3: ["Minimum|of a scale", "Middle|of a scale", "Maximum|of a scale"],
} as const satisfies Record<number, readonly Message[]>;

/** The stops of a color scale. */
export function ScaleStops(props: { readonly stops: readonly Stop[]; readonly onChange: (stops: readonly Stop[]) => void }) {
  const names = () => SCALE_NAMES[props.stops.length === 2 ? 2 : 3];
  /** Switches between two and three colors. */
  const setMiddle = (hasMiddle: boolean): void => {
    const [low, high] = [props.stops[0], props.stops.at(-1)];
    if (low && high) {
      props.onChange(hasMiddle ? [low, MIDDLE, high] : [low, high]);
    }
  };
  return (
    <>
      <Index each={props.stops}>
        {(stop, index) => {
          const name = () => t(names()[index] ?? "Maximum|of a scale");
          const change = (part: Partial<Stop>): void => props.onChange(withChange(props.stops, index, part));
          return (
            <div class="rule-stop-row" role="group" aria-label={name()}>
              <span>{name()}</span>
              <ColorField label={name()} value={stop().color || "#ffffff"} onChange={(color) => change({ color })} />
              <StopPosition types={STOP_TYPES} stop={stop()} onChange={change} />
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

/** The thresholds between icons. */
export function IconThresholds(props: { readonly set: string; readonly limits: readonly Stop[]; readonly onChange: (limits: readonly Stop[]) => void }) {
  const limits = () => (props.limits.length > 0 ? props.limits : defaultLimits(props.set));
  return (
    <Index each={limits()}>
      {(limit, index) => {
        const name = () => t("Icon {number}, starting at", { number: index + 2 });
        return (
          <div class="rule-stop-row is-limit" role="group" aria-label={name()}>
            <span>{name()}</span>
            <StopPosition types={THRESHOLD_TYPES} stop={limit()} onChange={(part) => props.onChange(withChange(limits(), index, part))} />
          </div>
        );
      }}
    </Index>
  );
}

function withChange(stops: readonly Stop[], position: number, part: Partial<Stop>): readonly Stop[] {
  return stops.map((stop, index) => (index === position ? { ...stop, ...part } : stop));
}

function StopPosition(props: { readonly types: readonly (readonly [at: string, name: Message])[]; readonly stop: Stop; readonly onChange: (part: Partial<Stop>) => void }) {
  const hasValue = () => !["minimum", "maximum", "automatic"].includes(props.stop.at);
  return (
    <>
      <select class="field" aria-label={t("Limit type")} onChange={(event) => props.onChange({ at: props.types[event.currentTarget.selectedIndex]?.[0] ?? "number" })}>
        <For each={props.types}>{([at, name]) => <option selected={props.stop.at === at}>{t(name)}</option>}</For>
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
