// LangChain's agent for JavaScript, with @langchain/mcp-adapters.
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { createAgent } from "langchain";

// Calls a tool, and keeps what comes of it.
class Scripted extends BaseChatModel {
  constructor(call) {
    super({});
    this.call = call;
  }
  _llmType() {
    return "scripted";
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    this.given = messages.find((message) => ToolMessage.isInstance(message));
    const message = new AIMessage(this.given ? "Done." : { content: "", tool_calls: [this.call] });
    return { generations: [{ text: "", message }] };
  }
}

const { command, arguments: args, calls } = JSON.parse(process.argv[2]);
const server = { transport: "stdio", command, args, stderr: "ignore" };
const client = new MultiServerMCPClient({ mcpServers: { orders: server } });
const tools = await client.getTools();
const answers = [];

for (const [tool, input] of calls) {
  answers.push(await ask(tool, input).catch((error) => ({ raised: String(error) })));
}
await client.close();
console.log(JSON.stringify(answers));

async function ask(name, input) {
  const model = new Scripted({ id: "1", name, args: input });
  await createAgent({ model, tools }).invoke({ messages: [{ role: "user", content: "Go." }] });
  return { content: model.given.content, marked: model.given.status === "error" };
}
