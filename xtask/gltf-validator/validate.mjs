// Runs the Khronos glTF validator on the files named on the command line,
// prints each file's counts, and exits with 1 if any file has an error.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import validator from "gltf-validator";

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: node validate.mjs FILE.glb...");
  process.exit(2);
}

let failed = false;
for (const file of files) {
  const bytes = new Uint8Array(await readFile(file));
  const { issues } = await validator.validateBytes(bytes, { maxIssues: 20 });
  console.log(
    `${basename(file)}: ${issues.numErrors} errors, ${issues.numWarnings} warnings, ` +
      `${issues.numInfos} infos, ${issues.numHints} hints`,
  );
  const kinds = ["error", "warning", "info", "hint"];
  for (const { code, message, pointer, severity } of issues.messages) {
    console.log(`  ${kinds[severity]} ${code} at ${pointer ?? "?"}: ${message}`);
  }
  failed ||= issues.numErrors > 0;
}
process.exit(failed ? 1 : 0);
