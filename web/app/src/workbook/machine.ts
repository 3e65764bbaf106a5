/** Command instead of Ctrl, and keys shown by their signs. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
