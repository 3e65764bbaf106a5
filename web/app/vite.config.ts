import { defineConfig } from "vite";
import solid from "vite-plugin-solid";
import { folderIndexes, notYetLoaded, stages } from "./build/chunks.ts";
import { compressed } from "./build/compress.ts";
import { embedding } from "./build/embed-script.ts";
import { firstLoad } from "./build/first-load.ts";
import { offline } from "./build/service-worker-manifest.ts";
import { worldMap } from "./build/world-map.ts";

/** Address of the server to which the development server forwards API requests. */
const SERVER = process.env["QUADRILLE_SERVER"] ?? "http://127.0.0.1:8000";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [folderIndexes(import.meta.dirname), worldMap(), solid(), offline(), embedding(), compressed(), firstLoad()],
  // The content security policy forbids inline scripts, `data:` and `blob:` workers. Browsers that
  // need the module preload polyfill cannot run the client.
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false, resolveDependencies: notYetLoaded },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: stages(import.meta.dirname) } } },
  },
  worker: { format: "es" },
  server: {
    port: 5173,
    proxy: { "/api": { target: SERVER, ws: true }, "/_new": SERVER },
  },
});
