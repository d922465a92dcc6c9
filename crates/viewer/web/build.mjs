// Bundles the page: `node build.mjs FOLDER` writes index.html, app.js and app.css there.
import { build } from 'esbuild';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? join(here, 'dist'));

await mkdir(folder, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { app: 'src/main.ts' },
  outdir: folder,
  bundle: true,
  format: 'iife',
  target: 'es2022',
  minify: true,
  sourcemap: false,
  legalComments: 'inline',
  logLevel: 'warning',
});
await copyFile(join(here, 'index.html'), join(folder, 'index.html'));
