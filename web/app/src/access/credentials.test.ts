import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { credentialOf, forgetCredentials, keepUnlock, knownRooms, linkOf, ownerKeyOf, rejectCredential, takeFragment } from "./credentials.ts";

const KEY = `qo_${"A".repeat(32)}`;
const LINK = `ql_${"b-_9".repeat(8)}`;

class MemoryStorage {
  private readonly entries = new Map<string, string>();
  getItem(name: string): string | null {
    return this.entries.get(name) ?? null;
  }
  setItem(name: string, value: string): void {
    this.entries.set(name, value);
  }
}

function open(hash: string): string {
  let address = "";
  Object.assign(globalThis, {
    location: { hash, pathname: "/plan", search: "?embed=edit" },
    history: { state: null, replaceState: (_state: unknown, _title: string, url: string) => (address = url) },
  });
  takeFragment("plan");
  return address;
}

describe("credentials", () => {
  beforeEach(() => {
    Object.assign(globalThis, { localStorage: new MemoryStorage(), sessionStorage: new MemoryStorage() });
  });

  test("a link in the fragment is kept and removed from the address", () => {
    assert.equal(open(`#link=${LINK}`), "/plan?embed=edit");
    assert.equal(linkOf("plan"), LINK);
    assert.equal(credentialOf("plan"), LINK);
    assert.equal(credentialOf("other"), undefined);
    assert.deepEqual(knownRooms(), { owned: [], linked: ["plan"] });
  });

  test("other fragments stay as they are", () => {
    for (const hash of ["", "#A1", "#link=short", `#link=${KEY}`, "#token=a.b"]) {
      assert.equal(open(hash), "", hash);
      assert.equal(credentialOf("plan"), undefined, hash);
    }
  });

  test("the owner key goes before a link, and the token of a host before both", () => {
    open(`#link=${LINK}`);
    open(`#owner=${KEY}`);
    assert.equal(credentialOf("plan"), KEY);
    open("#token=aaa.bbb.ccc");
    assert.equal(credentialOf("plan"), "aaa.bbb.ccc");
  });

  test("the code of EtherCalc's link is sent when there is no other credential", () => {
    open("");
    const code = "0f".repeat(32);
    for (const [search, expected] of [
      [`?auth=${code}&view=1`, `qe_${code}`],
      ["?auth=0", undefined],
      ["?auth=nonsense", undefined],
    ] as const) {
      Object.assign(location, { search });
      assert.equal(credentialOf("plan"), expected, search);
      assert.equal(credentialOf("other"), undefined, search);
    }
    open(`#link=${LINK}`);
    Object.assign(location, { search: `?auth=${code}` });
    assert.equal(credentialOf("plan"), LINK);
  });

  test("the proof of a password is sent behind the link", () => {
    open(`#link=${LINK}`);
    keepUnlock(LINK, "proof");
    assert.equal(credentialOf("plan"), `${LINK}.proof`);
  });

  test("a refused credential makes way for the next one", () => {
    open(`#owner=${KEY}`);
    open(`#link=${LINK}`);
    rejectCredential("plan", KEY);
    assert.equal(credentialOf("plan"), LINK);
    assert.equal(ownerKeyOf("plan"), KEY);
  });

  test("a deleted workbook leaves no credentials", () => {
    open(`#owner=${KEY}`);
    open(`#link=${LINK}`);
    forgetCredentials("plan");
    assert.equal(credentialOf("plan"), undefined);
    assert.deepEqual(knownRooms(), { owned: [], linked: [] });
  });
});
