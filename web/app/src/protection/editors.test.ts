import assert from "node:assert/strict";
import { test } from "node:test";
import type { ItemDetails } from "@quadrille/protocol";
import { editorsOf, editorText, isEditor, parseAddresses } from "./editors.ts";

const item = (editors: readonly string[] | null): ItemDetails => ({ id: 9, kind: "protectedRange", anchors: ["A1"], fields: { editors: editors && [...editors] } });

test("an entry is an account or address with an optional name", () => {
  const editors = editorsOf(item(["owner", "account:1 Ada Lovelace", "grace@example.org"]));
  assert.deepEqual(editors, [
    { who: "owner", label: "" },
    { who: "account:1", label: "Ada Lovelace" },
    { who: "grace@example.org", label: "" },
  ]);
  assert.deepEqual(editors.map(editorText), ["owner", "account:1 Ada Lovelace", "grace@example.org"]);
  assert.deepEqual(editorsOf(item(null)), []);
});

test("owners and named people are editors, as crates/operation decides", () => {
  const editors = editorsOf(item(["owner", "account:1 Ada", "Grace@Example.org"]));
  const person = (account: string, email: string, isOwner = false) => ({ account, email, isOwner });
  assert.equal(isEditor(editors, person("account:1", "")), true);
  assert.equal(isEditor(editors, person("account:7", "grace@example.org")), true);
  assert.equal(isEditor(editors, person("", "", true)), true);
  assert.equal(isEditor(editors, person("account:2", "bob@example.org")), false);
  assert.equal(isEditor(editors, person("owner", "")), false);
  assert.equal(isEditor(editors, person("", "")), false);
  assert.equal(isEditor(editors, undefined), true, "the room decides");
});

test("addresses are separated by commas or spaces", () => {
  assert.deepEqual(parseAddresses("Ada@Example.org, bob@example.org\tc@d.ef"), ["ada@example.org", "bob@example.org", "c@d.ef"]);
  assert.deepEqual(parseAddresses(" "), []);
  assert.equal(parseAddresses("ada@example.org, bob"), undefined);
});
