/**
 * The windows and the pointer of an X display, as a person and a window manager use them: the core
 * protocol of X11 (https://www.x.org/releases/current/doc/xproto/x11protocol.html) and its XTEST
 * extension (https://www.x.org/releases/current/doc/xextproto/xtest.html), as far as clicks need them.
 */

import { once } from "node:events";
import { connect } from "node:net";

const CONFIGURE_WINDOW = 12;
const GET_GEOMETRY = 14;
const QUERY_TREE = 15;
const SET_INPUT_FOCUS = 42;
const GET_INPUT_FOCUS = 43;
const QUERY_EXTENSION = 98;
const FAKE_INPUT = 2;

/** What `CONFIGURE_WINDOW` sets: the place in the stack of windows. */
const STACK_MODE = 0x40;
const ABOVE = 0;

/** Kinds of events. */
const PRESS = 4;
const RELEASE = 5;
const MOTION = 6;

/** Numbers of buttons in X11. */
const BUTTONS = { left: 1, middle: 2, right: 3 };

const REPLY_BYTES = 32;

/** Narrower ones are for the program itself. */
const WINDOW_WIDTH_MIN = 200;

const WINDOW_MS_MAX = 2_000;

export class Display {
  socket;
  received = Buffer.alloc(0);
  arrived = () => undefined;
  extension;
  root;
  windows = new Set();
  /** Answers come in the order of the requests, so that one operation waits for the one before. */
  queue = Promise.resolve();

  /** @param number of the display, on this machine */
  static async open(number) {
    const display = new Display();
    display.socket = connect(`/tmp/.X11-unix/X${number}`);
    display.socket.on("error", () => undefined);
    display.socket.on("data", (data) => {
      display.received = Buffer.concat([display.received, data]);
      display.arrived();
    });
    await once(display.socket, "connect");
    // Little-endian numbers, version 11.0, no authorization.
    display.socket.write(Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    const head = await display.read(8);
    const setup = await display.read(head.readUInt16LE(6) * 4);
    if (head[0] !== 1) {
      throw new Error(`display ${number} refuses connections`);
    }
    // The first screen follows the name of the vendor and the formats of pixels.
    display.root = setup.readUInt32LE(32 + Math.ceil(setup.readUInt16LE(16) / 4) * 4 + setup[21] * 8);
    const name = Buffer.from("XTEST\0\0\0");
    display.socket.write(Buffer.concat([Buffer.from([QUERY_EXTENSION, 0, 2 + name.length / 4, 0, 5, 0, 0, 0]), name]));
    const answer = await display.read(REPLY_BYTES);
    if (answer[8] !== 1) {
      throw new Error(`display ${number} has no XTEST extension`);
    }
    display.extension = answer[9];
    return display;
  }

  async read(bytes) {
    while (this.received.length < bytes) {
      await new Promise((resolve) => {
        this.arrived = resolve;
      });
    }
    const data = this.received.subarray(0, bytes);
    this.received = this.received.subarray(bytes);
    return data;
  }

  enqueue(operation) {
    const done = this.queue.then(operation);
    this.queue = done.catch(() => undefined);
    return done;
  }

  /** Finds a window that has been opened. */
  newWindow() {
    return this.enqueue(() => this.findNewWindow());
  }

  async findNewWindow() {
    const end = Date.now() + WINDOW_MS_MAX;
    while (Date.now() < end) {
      for (const window of await this.children()) {
        if (!this.windows.has(window) && (await this.width(window)) >= WINDOW_WIDTH_MIN) {
          this.windows.add(window);
          return window;
        }
      }
      await new Promise((done) => setTimeout(done, 20));
    }
    throw new Error("no window has been opened");
  }

  async children() {
    this.request(QUERY_TREE, this.root);
    const count = (await this.read(REPLY_BYTES)).readUInt16LE(16);
    const data = await this.read(4 * count);
    return Array.from({ length: count }, (_, index) => data.readUInt32LE(4 * index));
  }

  async width(window) {
    this.request(GET_GEOMETRY, window);
    const answer = await this.read(REPLY_BYTES);
    // An error if the window is gone.
    return answer[0] === 1 ? answer.readUInt16LE(16) : 0;
  }

  /** Puts a window above the others and gives it the keys. */
  focus(window) {
    return this.enqueue(async () => {
      this.request(CONFIGURE_WINDOW, window, STACK_MODE, ABOVE);
      this.request(SET_INPUT_FOCUS, window, 0);
      await this.flush();
    });
  }

  /** Waits until the display has done all requests. */
  async flush() {
    this.request(GET_INPUT_FOCUS);
    await this.read(REPLY_BYTES);
  }

  request(code, ...words) {
    const bytes = Buffer.alloc(4 + 4 * words.length);
    bytes[0] = code;
    bytes.writeUInt16LE(1 + words.length, 2);
    for (const [index, word] of words.entries()) {
      bytes.writeUInt32LE(word, 4 + 4 * index);
    }
    this.socket.write(bytes);
  }

  /** Moves the pointer, and presses or releases a button there. Returns when the display has done it. */
  mouse({ type, button }, x, y) {
    return this.enqueue(async () => {
      this.fake(MOTION, 0, x, y);
      if (type !== "move") {
        this.fake(type === "down" ? PRESS : RELEASE, BUTTONS[button], 0, 0);
      }
      await this.flush();
    });
  }

  fake(kind, detail, x, y) {
    const request = Buffer.alloc(36);
    request[0] = this.extension;
    request[1] = FAKE_INPUT;
    request.writeUInt16LE(request.length / 4, 2);
    request[4] = kind;
    request[5] = detail;
    request.writeInt16LE(x, 24);
    request.writeInt16LE(y, 26);
    this.socket.write(request);
  }

  close() {
    this.socket.destroy();
  }
}
