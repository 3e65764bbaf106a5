// Tests of the packed library, against the server at QUADRILLE_URL.

import assert from "node:assert/strict";
import { test } from "node:test";

import { quadrille } from "quadrille-client";

const client = quadrille(process.env.QUADRILLE_URL);
const sheet = { room: "from-typescript", sheet: "Sheet1" };

test("cells are written, appended and read", async () => {
  const made = await client.PUT("/api/v1/rooms/{room}", {
    params: { path: { room: sheet.room } },
    body: "Region,Units\nNorth,3\n",
    bodySerializer: (body) => body,
    headers: { "content-type": "text/csv" },
  });
  assert.equal(made.response.status, 201);
  const key = { "Idempotency-Key": "one-row" };
  for (const isRepeated of [false, true]) {
    const { data, response } = await client.POST("/api/v1/rooms/{room}/sheets/{sheet}/rows", {
      params: { path: sheet, header: key },
      body: { rows: [["South", { formula: "=B2*2" }]] },
    });
    assert.equal(data?.range, "A3:B3");
    assert.equal(response.headers.get("idempotent-replayed"), isRepeated ? "true" : null);
  }
  const { data } = await client.GET("/api/v1/rooms/{room}/sheets/{sheet}/cells/{range}", {
    params: { path: { ...sheet, range: "A2:B3" } },
  });
  const values = data?.cells?.map((row) => row.map((cell) => cell.value));
  assert.deepEqual(values, [["North", 3], ["South", 6]]);
});

test("errors are typed", async () => {
  const { error, response } = await client.GET("/api/v1/rooms/{room}", {
    params: { path: { room: "nothing" } },
  });
  assert.equal(response.status, 404);
  assert.equal(error?.error.code, "no_such_room");
});

test("a token is sent", async () => {
  const stranger = quadrille(process.env.QUADRILLE_URL, { token: "qt_wrong" });
  const { response } = await stranger.GET("/api/v1/rooms/{room}", { params: { path: { room: "x" } } });
  assert.equal(response.status, 401);
});
