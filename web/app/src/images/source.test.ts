import assert from "node:assert/strict";
import { test } from "node:test";
import type { ItemDetails } from "@quadrille/protocol";
import { imageUrl } from "./source.ts";

const item = (source: string): ItemDetails => ({ id: 7, kind: "image", anchors: ["A1"], fields: { source } });

test("only images of the room and images inside of items have an address", () => {
  const id = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  assert.equal(imageUrl("my room", item(id)), `/api/v1/rooms/my%20room/images/${id}`);
  assert.equal(imageUrl("r", item("data:image/png;base64,AAAA")), "data:image/png;base64,AAAA");
  for (const other of ["https://example.org/track.png", "data:image/svg+xml;base64,AAAA", "javascript:alert(1)", `${id}/..`, id.toUpperCase(), ""]) {
    assert.equal(imageUrl("r", item(other)), undefined, other);
  }
});
