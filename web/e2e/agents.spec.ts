/** Agents that use workbooks by the Model Context Protocol; its own SDK is the client. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { binary } from "./server.ts";
import { expect, test } from "./user.ts";

/** The JSON that a tool has returned. */
async function call(client: Client, name: string, given: Record<string, unknown>): Promise<unknown> {
  const result = await client.callTool({ name, arguments: given });
  expect(result.isError, JSON.stringify(result.content)).toBeFalsy();
  return result.structuredContent;
}

test("an agent works in the workbook beside a person", async ({ world }) => {
  const ann = await world.enter();
  const room = new URL(ann.page.url()).pathname.slice(1);
  const agent = new Client({ name: "planner", version: "1" });
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${world.server.url}/mcp?agent=Planner`)));
  await ann.type("A1", [["pens", "2"], ["ink", "5"]]);
  await ann.saved();

  expect(await call(agent, "read_range", { room, range: "A1:B2" })).toMatchObject({ rows: [["pens", 2], ["ink", 5]] });
  // The person sees the agent and what it reads.
  await expect(ann.page.getByRole("button", { name: "2 people here" })).toBeVisible();
  await expect(ann.cell("A1")).toHaveAttribute("aria-description", "Planner is here");

  const rows = [["total", "=SUM(B1:B2)"]];
  expect(await call(agent, "write_range", { room, at: "A3", rows, dryRun: true })).toMatchObject({ dryRun: true, changed: { total: 2 } });
  await call(agent, "write_range", { room, at: "A3", rows });
  await ann.seesInCell("B3", "7");
  await ann.type("B1", [["3"]]);
  await ann.seesInCell("B3", "8");
  // Undo takes back what the agent did and leaves what Ann did.
  await call(agent, "undo", { room });
  await ann.sees("A1", [["pens", "3"], ["ink", "5"], ["", ""]]);
  await agent.close();
});

test("an agent that starts programs uses the command line", async ({ world }) => {
  const ann = await world.enter();
  const room = new URL(ann.page.url()).pathname.slice(1);
  const agent = new Client({ name: "desk", version: "1" });
  await agent.connect(new StdioClientTransport({ command: binary(), args: ["mcp", "--server", world.server.url, "--name", "Desk"] }));
  const { tools } = await agent.listTools();
  expect(tools.map((tool) => tool.name)).toContain("explain_formula");
  await ann.type("A1", [["Region", "Amount"], ["North", "5"], ["South", "=B2-3"]]);
  await ann.saved();
  expect(await call(agent, "trace_precedents", { room, cell: "B3" })).toMatchObject({ precedents: [{ range: "Sheet1!B2", value: 5 }] });
  const fields = { rows: [{ column: "Region" }], values: [{ column: "Amount" }] };
  await call(agent, "create_pivot_table", { room, source: "Sheet1!A1:B3", ...fields });
  await expect(ann.page.getByRole("tab", { name: "Pivot table" })).toBeVisible();
  await call(agent, "edit", { room, commands: [{ type: "renameSheet", sheet: "Sheet1", name: "Budget" }] });
  await expect(ann.page.getByRole("tab", { name: "Budget" })).toBeVisible();
  await agent.close();
});
