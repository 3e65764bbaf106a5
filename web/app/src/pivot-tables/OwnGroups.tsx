/** The groups of one's own of a field. */

import { Index } from "solid-js";
import { Icon } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { OwnGroup } from "./own-groups.ts";

/** Each group with its name, which can be changed, its values and a button that removes it. */
export function OwnGroups(props: { readonly groups: readonly OwnGroup[]; readonly onChange: (groups: readonly OwnGroup[]) => void }) {
  const rename = (index: number, name: string): void => props.onChange(props.groups.map((group, at) => (at === index ? { ...group, name } : group)));
  return (
    <div class="pivot-groups" role="group" aria-label={t("Groups|of a pivot table")}>
      <Index each={props.groups}>
        {(group, index) => (
          <div class="pivot-group">
            <input
              class="field"
              dir="auto"
              maxLength={255}
              aria-label={t("Name of {name}", { name: group().name })}
              value={group().name}
              onKeyDown={(event) => {
                if (event.key === "Enter") {
                  event.currentTarget.blur();
                }
              }}
              onChange={(event) => {
                const name = event.currentTarget.value.trim();
                if (name === "") {
                  event.currentTarget.value = group().name;
                } else {
                  rename(index, name);
                }
              }}
            />
            <button
              type="button"
              class="tool"
              aria-label={t("Remove {name}", { name: group().name })}
              title={t("Remove {name}", { name: group().name })}
              onClick={() => props.onChange(props.groups.filter((_, at) => at !== index))}
            >
              <Icon name="trash" />
            </button>
            <p class="pivot-group-values" dir="auto">
              {group().values.map((value) => (value === "" ? t("Blank|of a cell") : value)).join(", ")}
            </p>
          </div>
        )}
      </Index>
    </div>
  );
}
