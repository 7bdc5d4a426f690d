// Lints what every module in a folder exports with 003's own linter, and prints what it found: a list for each module.
//
//     node linting.mjs MODULES FOLDER
//
// MODULES is a directory in which `@cyanheads/mcp-ts-core` is installed.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, folder] = process.argv.slice(2);
const linter = join(modules, 'node_modules', '@cyanheads', 'mcp-ts-core', 'dist', 'linter', 'index.js');
const { validateDefinitions } = await import(pathToFileURL(linter));

// As the peer's own command tells them apart.
const kindOf = (definition) =>
  'uriTemplate' in definition ? 'resources' : 'generate' in definition ? 'prompts' : 'tools';

const found = [];
for (const name of readdirSync(folder).filter((each) => each.endsWith('.mjs')).sort()) {
  const exported = Object.values(await import(pathToFileURL(join(folder, name))));
  const reports = exported.map((definition) => validateDefinitions({ [kindOf(definition)]: [definition] }));
  const diagnostics = reports.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
  found.push(diagnostics.map(({ rule, severity }) => ({ rule, severity })));
}
console.log(JSON.stringify(found));
