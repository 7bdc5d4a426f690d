// The AI SDK of Vercel.
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";

const { command, arguments: args, calls } = JSON.parse(process.argv[2]);
const client = await createMCPClient({ transport: new StdioTransport({ command, args, stderr: "ignore" }) });
const tools = await client.tools();
const answers = [];

for (const [tool, input] of calls) {
  answers.push(await ask(tool, input).catch((error) => ({ raised: String(error) })));
}
await client.close();
console.log(JSON.stringify(answers));

// A model that calls a tool, and keeps what comes of it.
async function ask(toolName, input) {
  let given;
  const call = { type: "tool-call", toolCallId: "1", toolName, input: JSON.stringify(input) };
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      given = prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content)[0];
      const unified = given ? "stop" : "tool-calls";
      const usage = { inputTokens: {}, outputTokens: {} };
      return { content: [given ? { type: "text", text: "Done." } : call], finishReason: { unified }, usage, warnings: [] };
    },
  });
  await generateText({ model, tools, prompt: "Go.", stopWhen: isStepCount(2) });
  return { content: given.output.value, marked: given.output.type.startsWith("error") };
}
