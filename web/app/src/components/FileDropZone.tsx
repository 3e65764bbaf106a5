/** Accepts files dropped anywhere on the page and shows a frame while one is dragged over it. */

import { createSignal, onCleanup, Show } from "solid-js";

/** Handles files that are dropped on the page until the component is removed. */
export function FileDropZone(props: {
  readonly text: string;
  readonly onFile: (file: File) => void;
  /** Text and handler when all dragged files are images. */
  readonly images?: { readonly text: string; readonly onDrop: (files: readonly File[], event: DragEvent) => void };
}) {
  const [isOver, setIsOver] = createSignal(false);
  const [areImages, setAreImages] = createSignal(false);
  const controller = new AbortController();
  const { signal } = controller;
  onCleanup(() => controller.abort());

  const hasFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  window.addEventListener(
    "dragover",
    (event) => {
      if (hasFile(event)) {
        event.preventDefault();
        const items = [...(event.dataTransfer?.items ?? [])];
        setAreImages(items.length > 0 && items.every(({ type }) => type.startsWith("image/")));
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
      const files = [...(event.dataTransfer?.files ?? [])];
      const [file] = files;
      if (file && props.images && files.every(({ type }) => type.startsWith("image/"))) {
        event.preventDefault();
        props.images.onDrop(files, event);
      } else if (file) {
        event.preventDefault();
        props.onFile(file);
      }
    },
    { signal },
  );

  return (
    <Show when={isOver()}>
      <div class="drop-frame" role="status">
        <p>{areImages() && props.images ? props.images.text : props.text}</p>
      </div>
    </Show>
  );
}
