// Bundles each file of tests/ and gives all of them to node's own test runner.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'conatus-page-tests-'));
try {
  const tests = readdirSync(join(here, 'tests')).filter((name) => name.endsWith('.test.ts'));
  await build({
    absWorkingDir: here,
    entryPoints: tests.map((name) => join('tests', name)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    logLevel: 'warning',
  });
  const files = tests.map((name) => join(folder, name.replace(/\.ts$/, '.mjs')));
  const done = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' });
  process.exitCode = done.status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
