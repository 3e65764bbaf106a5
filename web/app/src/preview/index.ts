/**
 * The preview of a workbook while the engine is being loaded. `PreviewSheet.tsx` is a chunk of its
 * own.
 */

export { PreviewModel } from "./preview-model.ts";
export { loadPreview, markPreviewShown, previewShown } from "./preview.ts";
