import assert from "node:assert/strict";
import { test } from "node:test";
import { returnPath } from "./return-path.ts";

const ORIGIN = "https://sheets.example";

function at(value: string): string {
  return returnPath(`?${new URLSearchParams({ return: value }).toString()}`, ORIGIN);
}

test("a sign-in leads back to a local path with its query and fragment", () => {
  assert.equal(at("/budget"), "/budget");
  assert.equal(at("/budget?view#Sheet2!A1"), "/budget?view#Sheet2!A1");
  assert.equal(at("/%E4%BA%88%E7%AE%97"), "/%E4%BA%88%E7%AE%97");
  assert.equal(at("/_admin#audit"), "/_admin#audit");
});

test("a sign-in never leads to another origin", () => {
  const others = [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "/\t/evil.example/",
    "/\n/evil.example",
    "/.//evil.example",
    "/x/..//evil.example",
    "\\\\evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    " /budget",
    "budget",
    "",
  ];
  for (const other of others) {
    assert.equal(at(other), "/", JSON.stringify(other));
  }
  assert.equal(returnPath("", ORIGIN), "/");
});

test("a sign-in does not lead back to the sign-in page", () => {
  assert.equal(at("/_sign-in?return=/budget"), "/");
  assert.equal(at("/_sign-in/provider"), "/");
  assert.equal(at("/_sign-inventory"), "/_sign-inventory");
});

test("a sign-in at a tenant with a path leads back to a page of the tenant", () => {
  const atAcme = (value: string): string => returnPath(`?${new URLSearchParams({ return: value }).toString()}`, ORIGIN, "/acme");
  assert.equal(atAcme("/acme/budget?view"), "/acme/budget?view");
  for (const other of ["", "/", "/budget", "/acme", "/acmes/budget", "/acme/../budget", "/acme/_sign-in", "//evil.example"]) {
    assert.equal(atAcme(other), "/acme/", other);
  }
});
