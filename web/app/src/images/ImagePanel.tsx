/** The image editor. Each change is applied at once for everybody and can be undone. */

import type { ItemDetails, ItemValue } from "@quadrille/protocol";
import { createMemo, createSignal, Show } from "solid-js";
import { t } from "../language/index.ts";
import { Icon, LazyBoundary, lazyComponent, LoadError, Panel } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { chooseImages } from "./insert-image.ts";
import { DEFAULT_IMAGE_SIZE, SIZE_MIN } from "./default-size.ts";
import { storedImage } from "./source.ts";

const ShapeSettings = lazyComponent(() => import("../shapes/ShapeSettings.tsx").then((module) => module.ShapeSettings));

/** The panel that edits the selected image, or offers to insert one. */
export function ImagePanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const item = () => {
    const image = model.items.find(model.selectedItem() ?? 0);
    return image?.kind === "image" ? image : undefined;
  };
  /** A cropped or rotated image is a shape as well, and called an image. */
  const [isPicture, setIsPicture] = createSignal(false);
  const isNamedShape = () => item()?.fields["shape"] === true && !isPicture();
  return (
    <Panel title={isNamedShape() ? t("Shape") : t("Image")} onClose={() => model.closePanel()}>
      <Show
        when={item()}
        fallback={
          <>
            <p class="panel-note">{t("Select an image, or insert one.")}</p>
            <p>
              <button type="button" class="button is-main" onClick={() => chooseImages(model)}>
                {t("Image…")}
              </button>
            </p>
          </>
        }
      >
        {(image) => <Editor model={model} item={image()} isNamedShape={isNamedShape()} onPicture={setIsPicture} />}
      </Show>
    </Panel>
  );
}

function Editor(props: {
  readonly model: WorkbookModel;
  readonly item: ItemDetails;
  readonly isNamedShape: boolean;
  readonly onPicture: (isPicture: boolean) => void;
}) {
  const { model } = props;
  const put = (fields: Record<string, ItemValue>): void => model.items.patch(props.item.id, fields);
  const number = (field: "width" | "height"): number => {
    const value = props.item.fields[field];
    return typeof value === "number" ? value : DEFAULT_IMAGE_SIZE[field];
  };
  // Memos, so that updates with the same values do not overwrite the text being typed.
  const width = createMemo(() => number("width"));
  const height = createMemo(() => number("height"));
  const alt = createMemo(() => {
    const text = props.item.fields["altText"];
    return typeof text === "string" ? text : "";
  });
  const isShape = () => props.item.fields["shape"] === true;
  const isInCell = () => props.item.fields["inCell"] === true && !isShape();
  /** Changes one side; the other side of an image follows in proportion. */
  const resize = (field: "width" | "height", text: string): void => {
    const sizePx = Math.round(Number(text));
    if (Number.isFinite(sizePx) && sizePx >= SIZE_MIN[field]) {
      if (props.isNamedShape) {
        put({ [field]: sizePx });
        return;
      }
      const scale = sizePx / number(field);
      put({ width: Math.max(1, Math.round(width() * scale)), height: Math.max(1, Math.round(height() * scale)) });
    }
  };
  const settings = () => (
    <LazyBoundary failed={(retry) => <LoadError onRetry={retry} />}>
      <ShapeSettings model={model} item={props.item} onKind={(kind) => props.onPicture(kind === "picture")} />
    </LazyBoundary>
  );
  return (
    <section class="panel-section form">
      {/* In one place, so that a field keeps the focus when an image becomes a cropped one. */}
      <Show when={storedImage(props.item) !== undefined && !isInCell()}>{settings()}</Show>
      <label class="form-label">
        {t("Alternative text")}
        <textarea
          class="field is-tall"
          dir="auto"
          rows={3}
          maxLength={1_000}
          value={alt()}
          onChange={(event) => put({ altText: event.currentTarget.value.trim() || null })}
        />
        <small>{props.isNamedShape ? t("Describe the shape for people who cannot see it.") : t("Describe the image for people who cannot see it.")}</small>
      </label>
      <Show when={!isShape()}>
        <label class="check">
          <input type="checkbox" checked={isInCell()} onChange={(event) => put({ inCell: event.currentTarget.checked || null })} />
          {t("Place in cell")}
        </label>
      </Show>
      <Show when={!isInCell()}>
        <div class="form-pair">
          <label class="form-label">
            {t("Width")}
            <input class="field" type="number" min={SIZE_MIN.width} value={width()} onChange={(event) => resize("width", event.currentTarget.value)} />
          </label>
          <label class="form-label">
            {t("Height")}
            <input class="field" type="number" min={SIZE_MIN.height} value={height()} onChange={(event) => resize("height", event.currentTarget.value)} />
          </label>
        </div>
      </Show>
      <p>
        <button
          type="button"
          class="button is-danger"
          onClick={() => {
            model.items.remove(props.item.id);
            model.selectItem(undefined);
            model.closePanel();
          }}
        >
          <Icon name="trash" />
          {props.isNamedShape ? t("Delete shape") : t("Delete image")}
        </button>
      </p>
    </section>
  );
}
