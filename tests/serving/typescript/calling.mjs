// Calls every planned tool with the TypeScript SDK's client, and prints what a program that uses it gets.
//
//     node calling.mjs PLAN MODULES COMMAND ARGUMENT…
//
// COMMAND starts the server; MODULES is a directory in which the SDK is installed.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [plan, modules, command, ...args] = process.argv.slice(2);
const require = createRequire(join(modules, 'package.json'));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');

const client = new Client({ name: 'calling', version: '1' });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
await client.listTools(); // From here on the client knows the output schemas, and holds results against them.

const seen = {};
for (const [name, results] of Object.entries(JSON.parse(readFileSync(plan, 'utf8')).results)) {
  seen[name] = {};
  for (const outcome of Object.keys(results)) {
    seen[name][outcome] = await client
      .callTool({ name, arguments: { outcome } })
      .catch(({ code, message }) => ({ thrown: { code, message } }));
  }
}
console.log(JSON.stringify(seen));
await client.close();
