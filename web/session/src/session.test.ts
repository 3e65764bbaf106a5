import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, type SessionListener } from "./session.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** A session with a worker that records what it is sent. */
function opened(): { readonly session: Session; readonly sent: ToWorker[]; readonly calls: string[]; readonly receive: (message: FromWorker) => void } {
  Object.assign(globalThis, { window: new EventTarget() });
  const sent: ToWorker[] = [];
  const worker = { postMessage: (message: ToWorker) => sent.push(message), terminate: () => {}, onmessage: (_: unknown): void => {} };
  const calls: string[] = [];
  const listener = new Proxy({}, { get: (_, name) => () => calls.push(String(name)) }) as SessionListener;
  const never = new Promise<never>(() => {});
  const session = new Session(
    { worker: worker as unknown as Worker, engine: never, socketUrl: "", credential: never, name: "Ada", color: 0 },
    listener,
  );
  return { session, sent, calls, receive: (data) => worker.onmessage({ data }) };
}

/** The header of a window with more rows than the buffer has. */
function unreadable(): FromWorker {
  const header = new Uint32Array(10);
  header.set([0x3357_5100, 1, 0, 3, 9_999]);
  return { type: "windows", buffers: [header.buffer] };
}

test("windows that cannot be read are asked for again, and the page stops when that does not help", (t) => {
  t.mock.method(console, "warn", () => {});
  const { session, sent, calls, receive } = opened();
  const ranges = [{ top: 0, left: 0, bottom: 9, right: 3 }];
  session.view(1, ranges);
  receive(unreadable());
  assert.deepEqual(sent.slice(1), [{ type: "painted" }, { type: "view", sheet: 1, ranges }]);
  assert.deepEqual(calls, []);
  receive(unreadable());
  receive(unreadable());
  assert.deepEqual(calls, ["stopped"]);
});
