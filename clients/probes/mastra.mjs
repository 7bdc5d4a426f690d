// Mastra.
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";

const { command, arguments: args, calls } = JSON.parse(process.argv[2]);
const client = new MCPClient({ servers: { orders: { command, args, stderr: "ignore" } } });
const tools = await client.listTools();
const answers = [];

for (const [tool, input] of calls) {
  answers.push(await ask(`orders_${tool}`, input).catch((error) => ({ raised: String(error) })));
}
await client.disconnect();
console.log(JSON.stringify(answers));
process.exit();

// A model that calls a tool, and keeps what comes of it.
async function ask(toolName, input) {
  let given;
  const call = { type: "tool-call", toolCallId: "1", toolName, input: JSON.stringify(input) };
  const answer = (prompt) => {
    given = prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content)[0];
    return given ? { type: "text", text: "Done." } : call;
  };
  const model = {
    specificationVersion: "v2",
    provider: "script",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async ({ prompt }) => {
      const content = [answer(prompt)];
      return { content, finishReason: given ? "stop" : "tool-calls", usage: {}, warnings: [] };
    },
  };
  const agent = new Agent({ id: "agent", name: "agent", instructions: "Go.", model, tools });
  await agent.generate("Go.", { maxSteps: 2 });
  return { content: given.output.value, marked: given.output.type.startsWith("error") };
}
