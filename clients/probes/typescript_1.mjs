// The official TypeScript SDK, version 1; there is no model, only its caller.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const { command, arguments: args, calls } = JSON.parse(process.argv[2]);
const client = new Client({ name: "probe", version: "1.0" });
await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
await client.listTools(); // So that it knows the output schemas, against which it holds results.
const answers = [];

for (const [name, input] of calls) {
  answers.push(await ask(name, input).catch((error) => ({ raised: String(error) })));
}
await client.close();
console.log(JSON.stringify(answers));

async function ask(name, input) {
  const result = await client.callTool({ name, arguments: input });
  return { content: result, marked: result.isError === true };
}
