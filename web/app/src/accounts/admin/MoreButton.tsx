/** The end of a list: a button that loads the next page. */

import { createSignal, Show } from "solid-js";
import { t } from "../../language/index.ts";
import type { RemoteList } from "../remote.ts";
import { failureText } from "../request.ts";

/** Loads the next page of a list, if there is one. */
export function MoreButton<Item>(props: { readonly of: RemoteList<Item> }) {
  const [failure, setFailure] = createSignal<string>();
  const more = async (): Promise<void> => {
    setFailure(undefined);
    try {
      await props.of.loadMore();
    } catch (error) {
      setFailure(failureText(error));
    }
  };
  return (
    <Show when={props.of.data()?.next != null}>
      <div class="admin-more">
        <Show when={failure()}>
          <p class="form-error" role="alert">
            {failure()}
          </p>
        </Show>
        <button type="button" class="button" disabled={props.of.isLoadingMore()} onClick={() => void more()}>
          {t("Load more")}
        </button>
      </div>
    </Show>
  );
}
