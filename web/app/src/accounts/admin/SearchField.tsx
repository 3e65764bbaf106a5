/** The search above a list. */

/** A search field; its label is its placeholder. */
export function SearchField(props: { readonly label: string; readonly value: string; readonly onInput: (value: string) => void }) {
  return (
    <input
      class="field admin-search"
      type="search"
      dir="auto"
      autocomplete="off"
      spellcheck={false}
      aria-label={props.label}
      placeholder={props.label}
      value={props.value}
      onInput={(event) => props.onInput(event.currentTarget.value)}
    />
  );
}
