/**
 * A client of the W3C WebDriver protocol (https://www.w3.org/TR/webdriver2/), as far as the tests in
 * WebKit need it: a dozen requests with JSON. Playwright cannot drive an installed WebKit.
 */

/** A point of the page in CSS pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Mouse button of a click, how often it is pressed, and the keys that are held. */
export interface Click {
  readonly button?: "left" | "right";
  readonly times?: number;
  readonly holding?: string;
}

/** A browser that starts on a busy machine takes seconds; one that does not answer fails the test. */
const REQUEST_MS_MAX = 60_000;

/** How an element is named in the JSON of the protocol. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** A reference to an element of the page. */
export interface Element {
  readonly [ELEMENT]: string;
}

/** Keys that have no character, by the names of `KeyboardEvent.key` (section “Keyboard actions”). */
const KEYS: Readonly<Record<string, string>> = {
  Backspace: "\uE003",
  Tab: "\uE004",
  Enter: "\uE007",
  Shift: "\uE008",
  Control: "\uE009",
  Alt: "\uE00A",
  Escape: "\uE00C",
  PageDown: "\uE00F",
  End: "\uE010",
  Home: "\uE011",
  ArrowLeft: "\uE012",
  ArrowUp: "\uE013",
  ArrowRight: "\uE014",
  ArrowDown: "\uE015",
  Delete: "\uE017",
  F2: "\uE032",
};

/** Characters of a keyboard of the United States that need Shift. */
const SHIFTED = /[A-Z~!@#$%^&*()_+{}|:"<>?]/;

type PointerStep = { readonly type: "pointerMove"; readonly x: number; readonly y: number; readonly duration: number } | { readonly type: "pointerDown" | "pointerUp"; readonly button: number };

/** A browser that a WebDriver server has started. */
export class Session {
  private readonly server: string;
  private readonly id: string;

  private constructor(server: string, id: string) {
    this.server = server;
    this.id = id;
  }

  /** Starts a browser with these capabilities. */
  static async start(server: string, capabilities: object): Promise<Session> {
    const { sessionId } = (await send(`${server}/session`, "POST", { capabilities: { alwaysMatch: capabilities } })) as { sessionId: string };
    return new Session(server, sessionId);
  }

  /** Closes the browser. */
  async end(): Promise<void> {
    await this.request("DELETE", "");
  }

  async goTo(url: string): Promise<void> {
    await this.request("POST", "/url", { url });
  }

  async reload(): Promise<void> {
    await this.request("POST", "/refresh", {});
  }

  async resize(width: number, height: number): Promise<void> {
    await this.request("POST", "/window/rect", { width, height });
  }

  /**
   * Calls a function on the page with JSON arguments and returns its JSON result, which can be a
   * promise. The function can use nothing of its surroundings.
   */
  async evaluate<A extends unknown[], R>(run: (...values: A) => R | Promise<R>, ...values: A): Promise<R> {
    const script = `const done = arguments[arguments.length - 1];
      Promise.resolve((${run.toString()})(...Array.from(arguments).slice(0, -1)))
        .then((value) => done({ value }), (error) => done({ error: String(error && error.stack || error) }));`;
    const answer = (await this.request("POST", "/execute/async", { script, args: values })) as { value: R } | { error: string };
    if ("error" in answer) {
      throw new Error(answer.error);
    }
    return answer.value;
  }

  /** Elements that match the selector and are in the page, visible or not. */
  async elements(selector: string): Promise<readonly Element[]> {
    return (await this.request("POST", "/elements", { using: "css selector", value: selector })) as Element[];
  }

  /** Role of an element for screen readers, as the browser computes it. */
  async role(element: Element): Promise<string> {
    return (await this.request("GET", `/element/${element[ELEMENT]}/computedrole`)) as string;
  }

  /** Accessible name of an element, as the browser computes it. */
  async name(element: Element): Promise<string> {
    return (await this.request("GET", `/element/${element[ELEMENT]}/computedlabel`)) as string;
  }

  async chooseFile(selector: string, path: string): Promise<void> {
    const [input] = await this.elements(selector);
    await this.request("POST", `/element/${input?.[ELEMENT]}/value`, { text: path });
  }

  /** Presses the last key while the others are held. */
  async press(...keys: readonly string[]): Promise<void> {
    const codes = keys.map((key) => KEYS[key] ?? key);
    const down = codes.map((value) => ({ type: "keyDown", value }));
    const up = codes.toReversed().map((value) => ({ type: "keyUp", value }));
    await this.keys([...down, ...up]);
  }

  async type(text: string): Promise<void> {
    const strokes = [...text].flatMap((value) => {
      const stroke = [{ type: "keyDown", value }, { type: "keyUp", value }];
      // Without Shift, the driver has written "8" for "*" after a context menu was open.
      const shift = KEYS["Shift"];
      return SHIFTED.test(value) ? [{ type: "keyDown", value: shift }, ...stroke, { type: "keyUp", value: shift }] : stroke;
    });
    await this.keys(strokes);
  }

  async click(at: Point, { button = "left", times = 1, holding }: Click = {}): Promise<void> {
    const number = button === "left" ? 0 : 2;
    const presses = Array.from({ length: times }, (): PointerStep[] => [
      { type: "pointerDown", button: number },
      { type: "pointerUp", button: number },
    ]);
    const key = holding === undefined ? undefined : (KEYS[holding] ?? holding);
    if (key !== undefined) {
      await this.keys([{ type: "keyDown", value: key }]);
    }
    await this.mouse([moveTo(at), ...presses.flat()]);
    if (key !== undefined) {
      await this.keys([{ type: "keyUp", value: key }]);
    }
  }

  async drag([start, ...others]: readonly Point[]): Promise<void> {
    if (start) {
      await this.mouse([moveTo(start), { type: "pointerDown", button: 0 }, ...others.map(moveTo), { type: "pointerUp", button: 0 }]);
    }
  }

  /** Turns the mouse wheel at a point. */
  async scroll(at: Point, deltaX: number, deltaY: number): Promise<void> {
    await this.actions([{ type: "wheel", id: "wheel", actions: [{ type: "scroll", x: Math.round(at.x), y: Math.round(at.y), deltaX, deltaY, duration: 0, origin: "viewport" }] }]);
  }

  /** The page as a PNG image. */
  async screenshot(): Promise<Buffer> {
    return Buffer.from((await this.request("GET", "/screenshot")) as string, "base64");
  }

  private keys(actions: readonly object[]): Promise<unknown> {
    return this.actions([{ type: "key", id: "keyboard", actions }]);
  }

  private mouse(actions: readonly PointerStep[]): Promise<unknown> {
    return this.actions([{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }]);
  }

  private actions(actions: readonly object[]): Promise<unknown> {
    return this.request("POST", "/actions", { actions });
  }

  private request(method: string, path: string, body?: object): Promise<unknown> {
    return send(`${this.server}/session/${this.id}${path}`, method, body);
  }
}

function moveTo({ x, y }: Point): PointerStep {
  return { type: "pointerMove", x: Math.round(x), y: Math.round(y), duration: 0 };
}

async function send(url: string, method: string, body?: object): Promise<unknown> {
  const signal = AbortSignal.timeout(REQUEST_MS_MAX);
  const response = await fetch(url, { method, signal, ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }) });
  const { value } = (await response.json()) as { value: unknown };
  if (!response.ok) {
    const { error, message } = value as { error: string; message: string };
    throw new Error(`${method} ${new URL(url).pathname}: ${error}: ${message}`);
  }
  return value;
}
