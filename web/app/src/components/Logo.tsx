/** The logo, hidden from screen readers. */
export function Logo(props: { readonly sizePx: number }) {
  return <img class="logo" src="/logo.svg" width={props.sizePx} height={props.sizePx} alt="" />;
}
