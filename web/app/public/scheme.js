// Light or dark as chosen in this browser, before anything is drawn; `src/theme/color-scheme.ts` goes on from here.
try {
  const chosen = localStorage.getItem("quadrille.scheme");
  // A page in a frame is as the page round it wants it.
  if (/^(light|dark)$/.test(chosen) && !/[?&]embed\b/.test(location.search)) {
    document.documentElement.dataset.scheme = chosen;
  }
} catch {
  // No storage: as the system has it.
}
