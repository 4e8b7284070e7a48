// Builds `src/` into the two assets that `laptime-report` embeds, and writes beside them the
// sources that the page's policy allows: the hashes of exactly these bytes.

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineConfig, type Plugin } from "vite";

const assets = resolve(import.meta.dirname, process.env.VIEWER_ASSETS ?? "../crates/laptime-report/assets");

function policy(): Plugin {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return {
    name: "policy",
    writeBundle(_options, bundle) {
      let script = "";
      let style = "";
      for (const part of Object.values(bundle)) {
        if (part.type === "chunk") script = part.code;
        else if (part.fileName.endsWith(".css")) style = String(part.source);
      }
      mkdirSync(assets, { recursive: true });
      writeFileSync(join(assets, "viewer.csp"), `script-src ${hash(script)}; style-src ${hash(style)}\n`);
    },
  };
}

export default defineConfig({
  build: {
    outDir: assets,
    emptyOutDir: false,
    target: "es2022",
    minify: "esbuild",
    reportCompressedSize: false,
    modulePreload: false,
    lib: {
      entry: resolve(import.meta.dirname, "src/main.ts"),
      name: "laptime",
      formats: ["iife"],
      fileName: () => "viewer.js",
      cssFileName: "viewer",
    },
  },
  plugins: [policy()],
});
