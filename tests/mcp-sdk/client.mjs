// The official MCP client, as other programs use it: reads a plan from standard input, starts the server it names once per
// client, lets every client make every call, and prints what it was answered. What is right is judged by tests/mcp.rs.
//
// plan: {"command": "ralph", "args": ["mcp"], "clients": [[{"tool": "list_tasks", "arguments": {}}, …], …]}
// prints: {"tools": [tools/list of each client], "answers": [[{"isError": false, "text": "…"}, …], …]}

import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const plan = JSON.parse(readFileSync(0, "utf8"));

async function connect() {
  const client = new Client({ name: "journey", version: "1.0.0" });
  client.onerror = (error) => {
    throw error;
  };
  await client.connect(new StdioClientTransport({ command: plan.command, args: plan.args, env: process.env }));
  return client;
}

async function play(client, calls) {
  const answers = [];
  for (const { tool, arguments: given } of calls) {
    const result = await client.callTool({ name: tool, arguments: given });
    const texts = result.content.filter((block) => block.type === "text").map((block) => block.text);
    answers.push({ isError: result.isError === true, text: texts.join("\n") });
  }
  return answers;
}

// All servers run before the first call is made.
const clients = await Promise.all(plan.clients.map(connect));
const tools = await Promise.all(clients.map(async (client) => (await client.listTools()).tools));
const answers = await Promise.all(clients.map((client, index) => play(client, plan.clients[index])));
const server = clients[0].getServerVersion();
await Promise.all(clients.map((client) => client.close()));
console.log(JSON.stringify({ server, tools, answers }));
