// OpenAI Agents SDK for JavaScript.
import { Agent, MCPServerStdio, run, setTracingDisabled, Usage } from "@openai/agents";

setTracingDisabled(true);
const { command, arguments: args, calls } = JSON.parse(process.argv[2]);
const server = new MCPServerStdio({ command, args });
await server.connect();
const answers = [];

for (const [tool, input] of calls) {
  answers.push(await ask(tool, input).catch((error) => ({ raised: String(error) })));
}
await server.close();
console.log(JSON.stringify(answers));

// A model that calls a tool, and keeps what comes of it.
async function ask(name, input) {
  let given;
  const call = { type: "function_call", callId: "1", name, status: "completed", arguments: JSON.stringify(input) };
  const text = { type: "output_text", text: "Done." };
  const done = { type: "message", role: "assistant", status: "completed", content: [text] };
  const model = {
    getResponse: async (request) => {
      given = [...request.input].find(({ type }) => type === "function_call_result");
      return { usage: new Usage(), output: [given ? done : call] };
    },
  };
  await run(new Agent({ name: "agent", model, mcpServers: [server] }), "Go.");
  return { content: given.output, marked: given.status !== "completed" };
}
