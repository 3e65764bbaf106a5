// A client of EtherCalc's live protocol over socket.io, with the real socket.io client:
// `node socket-io-client.mjs PACKAGE.JSON URL TRANSPORTS`. It sends the message of each line that it
// reads, and writes each message that it receives as a line.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [, , folder, url, transports] = process.argv;
const connect = createRequire(folder)("socket.io-client");
const socket = connect(url, { transports: transports.split(","), reconnection: false });
socket.on("data", (message) => console.log(JSON.stringify(message)));
for (const event of ["connect_error", "error"]) {
  socket.on(event, (error) => console.log(JSON.stringify({ type: event, message: String(error) })));
}
socket.on("disconnect", (reason) => console.log(JSON.stringify({ type: "disconnect", reason })));
socket.io.engine.on("upgrade", ({ name }) => console.log(JSON.stringify({ type: "upgrade", transport: name })));
for await (const line of createInterface({ input: process.stdin })) {
  socket.emit("data", JSON.parse(line));
}
socket.close();
