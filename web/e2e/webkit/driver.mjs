/** A client of the W3C WebDriver protocol (https://www.w3.org/TR/webdriver2/): windows and their input. */

/** A browser that starts on a busy machine takes seconds. */
const REQUEST_MS_MAX = 60_000;

/** Keys that have no character, by the names of `KeyboardEvent.key` (section “Keyboard actions”). */
const KEYS = {
  Cancel: "\uE001",
  Backspace: "\uE003",
  Tab: "\uE004",
  Enter: "\uE007",
  Shift: "\uE008",
  Control: "\uE009",
  Alt: "\uE00A",
  Pause: "\uE00B",
  Escape: "\uE00C",
  PageUp: "\uE00E",
  PageDown: "\uE00F",
  End: "\uE010",
  Home: "\uE011",
  ArrowLeft: "\uE012",
  ArrowUp: "\uE013",
  ArrowRight: "\uE014",
  ArrowDown: "\uE015",
  Insert: "\uE016",
  Delete: "\uE017",
  Meta: "\uE03D",
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`F${index + 1}`, String.fromCharCode(0xe031 + index)])),
};

/** Characters of a keyboard of the United States that need Shift. */
const SHIFTED = /^[A-Z~!@#$%^&*()_+{}|:"<>?]$/;

/** Bit of Shift among the modifiers of Playwright. */
const SHIFT = 1;

/** A session with a browser. Commands run one after the other. */
export class Driver {
  address;
  /** The window that gets the commands. */
  current;
  queue = Promise.resolve();

  /** @param server address of the WebDriver server */
  static async start(server, capabilities) {
    const driver = new Driver();
    const { sessionId } = await send("POST", `${server}/session`, { capabilities: { alwaysMatch: capabilities } });
    driver.address = `${server}/session/${sessionId}`;
    driver.current = await driver.request("GET", "/window");
    return driver;
  }

  request(method, path, body) {
    const answer = this.queue.then(() => send(method, this.address + path, body));
    this.queue = answer.catch(() => undefined);
    return answer;
  }

  /** Sends a command to a window. */
  to(window, method, path, body) {
    const answer = this.queue.then(async () => {
      if (this.current !== window) {
        await send("POST", `${this.address}/window`, { handle: window });
        this.current = window;
      }
      return send(method, this.address + path, body);
    });
    this.queue = answer.catch(() => undefined);
    return answer;
  }

  async newWindow() {
    const { handle } = await this.request("POST", "/window/new", { type: "window" });
    return handle;
  }

  /** Closes a window. Commands go to the other one. */
  async closeWindow(window, other) {
    await this.to(window, "DELETE", "/window");
    await this.request("POST", "/window", { handle: other });
    this.current = other;
  }

  /** Presses or releases a key, as Playwright's `Input.dispatchKeyEvent` describes it. */
  async key(window, { type, key, modifiers }) {
    const value = KEYS[key] ?? key;
    const action = { type: type === "keyDown" ? "keyDown" : "keyUp", value };
    const shift = { type: action.type, value: KEYS.Shift };
    // A character that needs Shift gets it, as from a keyboard.
    const actions = SHIFTED.test(key) && (modifiers & SHIFT) === 0 ? (type === "keyDown" ? [shift, action] : [action, shift]) : [action];
    await this.act(window, { type: "key", id: "keyboard", actions });
  }

  /** Moves the mouse, or presses or releases its left button (`Input.dispatchMouseEvent`). */
  async mouse(window, { type, x, y }) {
    const move = { type: "pointerMove", x: Math.round(x), y: Math.round(y), duration: 0, origin: "viewport" };
    const press = { type: type === "down" ? "pointerDown" : "pointerUp", button: 0 };
    await this.act(window, { type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions: [type === "move" ? move : press] });
  }

  /** Turns the wheel of the mouse (`Input.dispatchWheelEvent`). */
  async wheel(window, { x, y, deltaX, deltaY }) {
    const scroll = { type: "scroll", x: Math.round(x), y: Math.round(y), deltaX, deltaY, duration: 0, origin: "viewport" };
    await this.act(window, { type: "wheel", id: "wheel", actions: [scroll] });
  }

  act(window, source) {
    return this.to(window, "POST", "/actions", { actions: [source] });
  }

  /** Makes a window larger or smaller. */
  async grow(window, width, height) {
    const rect = await this.to(window, "GET", "/window/rect");
    await this.to(window, "POST", "/window/rect", { width: rect.width + width, height: rect.height + height });
  }
}

async function send(method, url, body) {
  const signal = AbortSignal.timeout(REQUEST_MS_MAX);
  const response = await fetch(url, { method, signal, ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }) });
  const { value } = await response.json();
  if (!response.ok) {
    throw new Error(`${method} ${new URL(url).pathname.replace(/^\/session\/[^/]+/, "")}: ${value.error}: ${value.message}`);
  }
  return value;
}
