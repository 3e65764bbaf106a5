/** Client of Quadrille's REST API: `openapi-fetch` with the types of the OpenAPI document. */

import createClient, { type Client, type ClientOptions } from "openapi-fetch";

import type { paths } from "./schema.js";

export type { components, operations, paths } from "./schema.js";

/** A client whose paths, parameters, bodies and answers are typed. */
export type QuadrilleClient = Client<paths>;

/** Options of a client. */
export interface QuadrilleOptions extends ClientOptions {
  /** An API token, an owner key or a share link. */
  readonly token?: string;
}

/** Makes a client of the server at `url`, such as `https://sheets.example.org`. */
export function quadrille(url: string, options: QuadrilleOptions = {}): QuadrilleClient {
  const { token, ...rest } = options;
  const client = createClient<paths>({ ...rest, baseUrl: url });
  if (token !== undefined) {
    client.use({
      onRequest({ request }) {
        request.headers.set("authorization", `Bearer ${token}`);
        return request;
      },
    });
  }
  return client;
}
