// A server of another product, in memory: `node server.mjs NAME PORT DOCUMENTS`. It sends a write to all
// users of the document, the author included, and prints "ready" when it listens. The clients are in
// bench/src/rooms/peers.rs.

import { createServer } from 'node:http';

const [name, portText, documentsText] = process.argv.slice(2);
const port = Number(portText);
const documents = Number(documentsText);
const rooms = Array.from({ length: documents }, (_, index) => `load-${index}`);

const servers = {
  /** A plain broadcast: a text is sent to every socket with the same path. */
  async ws() {
    const { WebSocketServer } = await import('ws');
    const http = createServer();
    const members = new Map(rooms.map((room) => [`/${room}`, new Set()]));
    new WebSocketServer({ server: http, perMessageDeflate: false }).on('connection', (socket, request) => {
      const room = members.get(request.url);
      room.add(socket);
      socket.on('close', () => room.delete(socket));
      socket.on('message', (data) => {
        const text = data.toString();
        for (const member of room) member.send(text);
      });
      socket.send('ready');
    });
    await listen(http);
  },

  async 'socket.io'() {
    const { Server } = await import('socket.io');
    const http = createServer();
    const io = new Server(http, { transports: ['websocket'], serveClient: false });
    io.on('connection', (socket) => {
      socket.on('join', (room) => {
        socket.join(room);
        socket.on('edit', (text) => io.to(room).emit('edit', text));
        socket.emit('ready');
      });
    });
    await listen(http);
  },

  /** Operational transformation, json0: one field of the document for each user. */
  async sharedb() {
    const { default: ShareDB } = await import('sharedb');
    const { WebSocketServer } = await import('ws');
    const { default: WebSocketJSONStream } = await import('@teamwork/websocket-json-stream');
    const backend = new ShareDB();
    const connection = backend.connect();
    for (const room of rooms) {
      await new Promise((done, fail) => {
        connection.get('sheets', room).create({}, (error) => (error ? fail(error) : done()));
      });
    }
    const http = createServer();
    new WebSocketServer({ server: http, perMessageDeflate: false }).on('connection', (socket) => {
      backend.listen(new WebSocketJSONStream(socket));
    });
    await listen(http);
  },

  /** Yjs: one key of a map for each write. */
  async hocuspocus() {
    const { Server } = await import('@hocuspocus/server');
    const server = new Server({ port, address: '127.0.0.1', quiet: true, stopOnSignals: false });
    await server.listen();
  },
};

function listen(http) {
  return new Promise((done) => http.listen(port, '127.0.0.1', 65_535, done));
}

await servers[name]();
console.log('ready');
