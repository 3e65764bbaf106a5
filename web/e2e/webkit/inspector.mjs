/**
 * The remote inspector of WebKitGTK, which its Web Inspector uses: messages over a socket, each with a
 * name and GVariant data (`Source/JavaScriptCore/inspector/remote/glib/RemoteInspectorServer.cpp` of WebKit).
 */

import { EventEmitter } from "node:events";
import { connect } from "node:net";

/** Length of the rest in four bytes, most significant first, then flags. */
const HEADER_BYTES = 5;
const LITTLE_ENDIAN = 1;

/** The browser is the first process that connected to its inspector. */
const BROWSER = 1;

/** Number of a target that does not exist. */
const NOBODY = 999_999;

/** A connection to the inspector of a browser. Emits `message` with the number of the target. */
export class Inspector extends EventEmitter {
  socket;
  received = Buffer.alloc(0);

  constructor(port) {
    super();
    this.socket = connect(port, "127.0.0.1").setNoDelay();
    this.socket.on("data", (data) => this.receive(data));
    this.socket.on("error", () => undefined);
    // WebKit compares a checksum of its commands, and answers with all of them if this is another one.
    this.send("SetupInspectorClient", Buffer.from("0\0"));
  }

  /** Begins to inspect a target. Pages answer with their `Target.targetCreated`. */
  attach(target) {
    this.send("Setup", numbers(BROWSER, target));
  }

  /** Sends a JSON message to a target. */
  sendTo(target, message) {
    this.send("SendMessageToBackend", Buffer.concat([numbers(BROWSER, target), Buffer.from(`${JSON.stringify(message)}\0`)]));
  }

  /**
   * Hurries an answer that is on its way. Within the browser it passes another socket, where it waits 40 ms
   * for the acknowledgement of the message before, which goes with the next message to the browser.
   */
  hurry() {
    this.sendTo(NOBODY, {});
  }

  close() {
    this.socket.destroy();
  }

  send(name, data) {
    const named = Buffer.from(`${name}\0`);
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32BE(named.length + data.length);
    header[HEADER_BYTES - 1] = LITTLE_ENDIAN;
    this.socket.write(Buffer.concat([header, named, data]));
  }

  receive(data) {
    this.received = Buffer.concat([this.received, data]);
    while (this.received.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + this.received.readUInt32BE();
      if (this.received.length < end) {
        return;
      }
      const message = this.received.subarray(HEADER_BYTES, end);
      this.received = this.received.subarray(end);
      const nameEnd = message.indexOf(0);
      this.handle(message.toString("latin1", 0, nameEnd), message.subarray(nameEnd + 1));
    }
  }

  handle(name, data) {
    if (name === "SendMessageToFrontend") {
      this.emit("message", Number(data.readBigUInt64LE(8)), JSON.parse(data.toString("utf8", 16, data.length - 1)));
    }
  }
}

function numbers(...values) {
  const bytes = Buffer.alloc(8 * values.length);
  for (const [index, value] of values.entries()) {
    bytes.writeBigUInt64LE(BigInt(value), 8 * index);
  }
  return bytes;
}
