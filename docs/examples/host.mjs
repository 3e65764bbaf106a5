// A host application that embeds workbooks for its own users, who have no account at Quadrille.
// It signs tokens with an Ed25519 key and publishes the public half. Needs Node.js only:
//   QUADRILLE=https://sheets.example.org node host.mjs
// Quadrille needs its own address as `public_url`, the address of this host in `frame_ancestors`, and
// the host as a token issuer:
//   [[token_issuers]]
//   issuer = "http://localhost:3000"
//   jwks_url = "http://localhost:3000/keys.json"
import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";

const quadrille = process.env.QUADRILLE ?? "http://localhost:8000";
// A real host keeps its private key: with a new one, earlier tokens are refused.
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const keyId = "2026-11";

/** A token by which a user opens a workbook for an hour. */
function token(issuer, user, room, role) {
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const header = { alg: "EdDSA", typ: "JWT", kid: keyId };
  const claims = {
    iss: issuer,
    aud: quadrille,
    exp: Math.floor(Date.now() / 1000) + 3600,
    sub: user.id,
    name: user.name,
    room,
    role,
  };
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString("base64url")}`;
}

const server = createServer((request, response) => {
  const issuer = `http://localhost:${server.address().port}`;
  if (request.url === "/keys.json") {
    const key = { ...publicKey.export({ format: "jwk" }), kid: keyId, use: "sig", alg: "EdDSA" };
    response.setHeader("content-type", "application/jwk-set+json");
    response.end(JSON.stringify({ keys: [key] }));
    return;
  }
  // The user that the host has signed in, and what they may do, by the host's own rules.
  const user = { id: "7", name: "Ada Lovelace" };
  const address = `${quadrille}/budget?embed=edit#token=${token(issuer, user, "budget", "edit")}`;
  // The page has a secret of the user in it.
  response.setHeader("cache-control", "no-store");
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end(`<!doctype html><title>Budget</title><h1>Our budget</h1>
<iframe title="Budget" width="900" height="500" referrerpolicy="no-referrer" src="${address}"></iframe>`);
});

server.listen(Number(process.env.PORT ?? 3000), "localhost", () => {
  console.log(`The host listens on http://localhost:${server.address().port}`);
});
