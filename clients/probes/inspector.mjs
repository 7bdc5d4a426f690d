// The MCP Inspector on the command line; there is no model, only the person who reads what it prints.
import { execFileSync } from "node:child_process";

const { command, arguments: args, calls } = JSON.parse(process.argv[2]);
const answers = [];

for (const [name, input] of calls) {
  try {
    answers.push(ask(name, input));
  } catch (error) {
    answers.push({ raised: String(error.stderr || error) });
  }
}
console.log(JSON.stringify(answers));

function ask(name, input) {
  const values = Object.entries(input).map(([key, value]) => `${key}=${value}`);
  const given = values.flatMap((value) => ["--tool-arg", value]);
  const inspector = ["node_modules/@modelcontextprotocol/inspector/cli/build/cli.js", "--cli"];
  const options = ["--method", "tools/call", "--tool-name", name, ...given];
  const printed = execFileSync(process.execPath, [...inspector, command, ...args, ...options], { encoding: "utf8" });
  const result = JSON.parse(printed);
  return { content: result, marked: result.isError === true };
}
