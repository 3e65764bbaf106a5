// The certified OpenID provider of npm, for the browser tests: prints its issuer when it listens.
// Anybody can sign in with any password. Members of the group "admins" are those whose name begins
// with "admin".
//
// node openid-provider.mjs REDIRECT_URI POST_LOGOUT_REDIRECT_URI

import { createServer } from "node:http";
import Provider from "oidc-provider";

const [redirectUri, postLogoutRedirectUri] = process.argv.slice(2);
const server = createServer((request, response) => handle(request, response));
let handle;

server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "quadrille",
        client_secret: "the secret of the browser tests",
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [postLogoutRedirectUri],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    scopes: ["openid", "email", "profile", "groups"],
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: `${id[0].toUpperCase()}${id.slice(1)}`,
        email: `${id}@example.org`,
        email_verified: true,
        groups: id.startsWith("admin") ? ["admins", "staff"] : ["staff"],
      }),
    }),
    // Required by OAuth 2.1; a client that sends no challenge is refused.
    pkce: { required: () => true },
  });
  handle = provider.callback();
  console.log(issuer);
});
