/** Size of an image whose item has no size, in CSS pixels. */
export const DEFAULT_IMAGE_SIZE = { width: 320, height: 240 };
/** Minimum size of an image, in CSS pixels. */
export const SIZE_MIN = { width: 16, height: 16 };
