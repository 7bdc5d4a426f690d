// Plays the scenes of the tour with a client of the TypeScript SDK, and prints what a program that uses it gets.
//
//     node calling.mjs MODULES VERSION PLAN
//
// MODULES is a directory in which that version of the SDK is installed; PLAN has, for every server, how to reach it
// and what to ask it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, version, plan] = process.argv.slice(2);
const load = createRequire(join(modules, 'package.json'));
const sdk = {
  1: () => ({
    ...load('@modelcontextprotocol/sdk/client/index.js'),
    ...load('@modelcontextprotocol/sdk/client/stdio.js'),
    ...load('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  }),
  2: () => ({ ...load('@modelcontextprotocol/client'), ...load('@modelcontextprotocol/client/stdio') }),
}[version]();

const answers = [];
for (const { url, command, args, scenes } of JSON.parse(readFileSync(plan, 'utf8'))) {
  const transport = url
    ? new sdk.StreamableHTTPClientTransport(new URL(url))
    : new sdk.StdioClientTransport({ command, args, env: process.env, stderr: 'ignore' });
  const client = new sdk.Client({ name: 'calling', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  await client.listTools(); // From here on the client knows the output schemas, and holds results against them.
  for (const scene of scenes) {
    answers.push(await ask(client, scene).catch(({ code, message, data }) => ({ error: { code, message, data } })));
  }
  await client.close();
}
console.log(JSON.stringify(answers));

function ask(client, { kind, name, arguments: given }) {
  if (kind === 'resource') return client.readResource({ uri: name });
  if (kind === 'prompt') return client.getPrompt({ name, arguments: given });
  return client.callTool({ name, arguments: given });
}
