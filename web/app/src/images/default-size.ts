export const DEFAULT_IMAGE_SIZE = { width: 320, height: 240 };
export const SIZE_MIN = { width: 16, height: 16 };
