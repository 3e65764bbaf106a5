export { PreviewModel } from "./preview-model.ts";
export { loadPreview, markPreviewShown, previewShown } from "./preview.ts";
