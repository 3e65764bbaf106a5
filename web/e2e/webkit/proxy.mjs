/** An HTTP proxy that ends all connections of a browser that is to be offline. */

import { once } from "node:events";
import { createServer, request } from "node:http";
import { connect } from "node:net";

export class Proxy {
  isOffline = false;
  server;
  /** Connections of the browser and to servers. */
  sockets = new Set();

  static async start() {
    const proxy = new Proxy();
    proxy.server = createServer((incoming, response) => proxy.forward(incoming, response));
    proxy.server.keepAliveTimeout = 0;
    proxy.server.on("upgrade", (incoming, socket, head) => proxy.upgrade(incoming, socket, head));
    proxy.server.on("connection", (socket) => proxy.add(socket));
    proxy.server.listen(0, "127.0.0.1");
    await once(proxy.server, "listening");
    return proxy;
  }

  get port() {
    return this.server.address().port;
  }

  setOffline(isOffline) {
    this.isOffline = isOffline;
    if (isOffline) {
      this.endAll();
    }
  }

  stop() {
    this.server.close();
    this.endAll();
  }

  endAll() {
    for (const socket of this.sockets) {
      socket.destroy();
    }
  }

  add(socket) {
    if (this.isOffline) {
      socket.destroy();
      return;
    }
    if (this.sockets.has(socket)) {
      // A connection to a server that is used again.
      return;
    }
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.sockets.delete(socket));
  }

  /** A request with a whole address, as browsers send them to proxies. */
  forward(incoming, response) {
    const outgoing = request(incoming.url, { method: incoming.method, headers: incoming.headers });
    outgoing.on("socket", (socket) => this.add(socket));
    outgoing.on("response", (answer) => {
      response.writeHead(answer.statusCode, answer.statusMessage, answer.rawHeaders);
      answer.pipe(response);
    });
    // To the browser, as if there were no proxy: the server cannot be reached.
    outgoing.on("error", () => incoming.socket.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  }

  /** WebSockets: WebKitGTK asks the proxy for them as for pages. */
  upgrade(incoming, socket, head) {
    const { hostname, port, pathname, search } = new URL(incoming.url);
    const outgoing = connect(Number(port || 80), hostname, () => {
      const { rawHeaders: headers } = incoming;
      const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []));
      outgoing.write(`${[`${incoming.method} ${pathname}${search} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`);
      outgoing.write(head);
      socket.pipe(outgoing).pipe(socket);
    });
    this.add(outgoing);
    outgoing.on("close", () => socket.destroy());
    socket.on("close", () => outgoing.destroy());
  }
}
