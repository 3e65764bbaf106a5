// Sets the color scheme chosen in this browser before the first paint, so that the page does not
// flash in the other scheme. `src/theme/color-scheme.ts` takes over once it has loaded.
try {
  const chosen = localStorage.getItem("quadrille.scheme");
  // An embedded page follows the page that embeds it.
  if (/^(light|dark)$/.test(chosen) && !/[?&]embed\b/.test(location.search)) {
    document.documentElement.dataset.scheme = chosen;
  }
} catch {
  // Storage is blocked: follow the operating system.
}
