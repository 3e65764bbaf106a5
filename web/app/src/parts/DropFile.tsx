/** A file dragged over the page: a frame says that it may be dropped. */

import { createSignal, onCleanup, Show } from "solid-js";

export function DropFile(props: { readonly text: string; readonly onFile: (file: File) => void }) {
  const [isOver, setIsOver] = createSignal(false);
  const controller = new AbortController();
  const { signal } = controller;
  onCleanup(() => controller.abort());

  const hasFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  window.addEventListener(
    "dragover",
    (event) => {
      if (hasFile(event)) {
        event.preventDefault();
        setIsOver(true);
      }
    },
    { signal },
  );
  window.addEventListener(
    "dragleave",
    (event) => {
      if (event.relatedTarget === null) {
        setIsOver(false);
      }
    },
    { signal },
  );
  window.addEventListener(
    "drop",
    (event) => {
      setIsOver(false);
      const file = event.dataTransfer?.files[0];
      if (file) {
        event.preventDefault();
        props.onFile(file);
      }
    },
    { signal },
  );

  return (
    <Show when={isOver()}>
      <div class="drop-frame" role="status">
        <p>{props.text}</p>
      </div>
    </Show>
  );
}
