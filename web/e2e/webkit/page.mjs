/** A page of WebKit for Playwright: what the inspector says and understands, and what Playwright expects. */

import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { call, PAGE_SCRIPT, SCRIPTS, SCRIPT_TAG } from "./page-script.mjs";

/** First identifier of own commands; Playwright counts from 1. WebKit takes 32 bits. */
const OWN_IDS = 2 ** 30;

/** Added to the identifier of a frame's context for the same one under the name of Playwright's own world. */
const UTILITY = 2 ** 20;

/** How often the size of a page is looked at; a window is a little larger than its page. */
const RESIZES = 100;

/** How long an event of the display is on its way to the page. */
const EVENT_MS = 50;

/** How long a navigation begins, unless the page asks whether it shall be left. */
const QUESTION_MS = 500;

const NAVIGATION_MS_MAX = 30_000;

/** Commands of Playwright's WebKit that this one lacks, and that tests can do without. */
const IGNORED = new Set([
  "Dialog.enable",
  "Emulation.grantPermissions",
  "Emulation.resetPermissions",
  "Emulation.setActiveAndFocused",
  "Emulation.setAuthCredentials",
  "Emulation.setOrientationOverride",
  "Page.overrideSetting",
  "Page.overrideUserAgent",
  "Page.setBypassCSP",
  "Page.setDefaultBackgroundColorOverride",
  "Page.setForcedColors",
  "Page.setTouchEmulationEnabled",
  "Page.updateScrollingState",
]);

export class Page {
  id;
  context;
  /** Number of the target of the inspector. */
  target;
  /** The window of WebDriver. */
  window;
  /** The same window of the display. */
  displayed;
  url = "about:blank";
  /** Width and height. */
  size;
  /** Where the page begins on the display, below the bars of the window. */
  origin = { x: 0, y: 0 };
  mainFrame;
  /** Frames that Playwright knows. */
  frames = new Set();
  /** The part of the page that has the given identifier; a navigation to another site brings another one. */
  session;
  /** The one that loads the next page. */
  nextSession;
  /** Contexts of scripts by session: identifiers of the frames. */
  contexts = new Map();
  bootstrap = "";
  waiting = new Map();
  nextId = OWN_IDS;
  /** Navigation that Playwright has asked for. */
  navigation;
  /** Request for the next page, until it is known which process loads it. */
  held;
  /** Its address. */
  nextUrl = "";

  constructor(context, id, target, window, displayed) {
    this.context = context;
    this.id = id;
    this.target = target;
    this.window = window;
    this.displayed = displayed;
  }

  get driver() {
    return this.context.browser.driver;
  }

  emit(method, params) {
    this.context.relay.send({ pageProxyId: this.id, method, params });
  }

  emitFrom(session, message) {
    this.emit("Target.dispatchMessageFromTarget", { targetId: session, message: JSON.stringify(message) });
  }

  sendToInspector(message) {
    this.context.browser.inspector.sendTo(this.target, message);
  }

  /** Sends a command of the relay to a part of the page. */
  command(session, method, params) {
    const id = this.nextId++;
    this.sendToInspector({ id: this.nextId++, method: "Target.sendMessageToTarget", params: { targetId: session, message: JSON.stringify({ id, method, params }) } });
    return new Promise((resolve, reject) => this.waiting.set(id, { session, resolve, reject }));
  }

  /** Calls a function of `page-script.mjs` with a remote object as `this`. */
  async callOn(session, objectId, name, ...values) {
    const { result, wasThrown } = await this.command(session, "Runtime.callFunctionOn", { objectId, functionDeclaration: call(name), arguments: values.map((value) => ({ value })), returnByValue: true });
    if (wasThrown) {
      throw new Error(result.description);
    }
    return result.value;
  }

  /** Runs a script in all frames. */
  async runInFrames(expression) {
    await Promise.all([...(this.contexts.get(this.session)?.keys() ?? [])].map((contextId) => this.command(this.session, "Runtime.evaluate", { expression, contextId })));
  }

  // From Playwright.

  /** Handles a command. Returns the result. */
  async handle(method, params) {
    const { driver, window } = this;
    switch (method) {
      case "Target.sendMessageToTarget":
        return this.forward(params.targetId, JSON.parse(params.message));
      case "Target.resume":
        this.sendToInspector({ id: this.nextId++, method, params });
        return {};
      case "Target.activate":
        await this.context.browser.display.focus(this.displayed);
        await new Promise((done) => setTimeout(done, EVENT_MS));
        return {};
      case "Input.dispatchKeyEvent":
        await driver.key(window, params);
        if (params.key === "Enter") {
          this.context.findPopups(this);
        }
        return {};
      case "Input.dispatchMouseEvent":
        await this.mouse(params);
        if (params.type === "up") {
          this.context.findPopups(this);
        }
        return {};
      case "Input.dispatchWheelEvent":
        await driver.wheel(window, params);
        return {};
      case "Emulation.setDeviceMetricsOverride":
        this.size = [params.width, params.height];
        await this.resize();
        return {};
      default:
        if (IGNORED.has(method)) {
          return {};
        }
        throw new Error(`${method} is not possible in WebKitGTK`);
    }
  }

  /** Forwards a command to a part of the page, or answers for it. */
  async forward(session, { id, method, params }) {
    const own = this.answers[method] ?? (IGNORED.has(method) ? () => ({}) : undefined);
    if (own) {
      const answer = Promise.resolve(own.call(this, session, params ?? {})).then(
        (result) => ({ id, result: result ?? {} }),
        ({ message }) => ({ id, error: { message } }),
      );
      void answer.then((message) => this.emitFrom(session, message));
      return {};
    }
    const { contextId } = params ?? {};
    const changed = contextId >= UTILITY ? { ...params, contextId: contextId - UTILITY } : params;
    this.sendToInspector({ id: this.nextId++, method: "Target.sendMessageToTarget", params: { targetId: session, message: JSON.stringify({ id, method, params: changed }) } });
    return {};
  }

  /** What the relay does itself. */
  answers = {
    async "Page.setBootstrapScript"(session, { source }) {
      this.bootstrap = source;
      await this.command(session, "Page.setBootstrapScript", { source: this.context.script(source) });
      await this.runInFrames(PAGE_SCRIPT);
    },
    /** A process that begins with the response to a request must not have that request intercepted: it would begin in another one. */
    async "Network.addInterception"(session, params) {
      const url = session === this.nextSession ? `^(?!${this.nextUrl.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$)` : params.url;
      await this.command(session, "Network.addInterception", { ...params, url });
    },
    async "Page.createUserWorld"(session) {
      for (const [contextId, frameId] of this.contexts.get(session) ?? []) {
        this.emitUtility(session, contextId, frameId);
      }
    },
    async "Runtime.addBinding"() {
      this.context.hasBinding = true;
      await this.answers["Page.setBootstrapScript"].call(this, this.session, { source: this.bootstrap });
      await this.runInFrames(SCRIPTS.installBinding);
    },
    async "Page.setInterceptFileChooserDialog"(session, { enabled }) {
      this.context.interceptsFiles = enabled;
      await this.answers["Page.setBootstrapScript"].call(this, session, { source: this.bootstrap });
      await this.runInFrames(SCRIPTS.interceptFiles(enabled));
    },
    async "Page.insertText"(session, { text }) {
      await this.evaluate(session, SCRIPTS.insertText(text));
    },
    async "Page.goBack"() {
      await this.driver.to(this.window, "POST", "/back", {});
    },
    async "Page.goForward"() {
      await this.driver.to(this.window, "POST", "/forward", {});
    },
    async "Network.setEmulateOfflineState"(session, { offline }) {
      if (this.context.setOffline(offline)) {
        await this.evaluate(session, SCRIPTS.setOnline(!offline));
      }
    },
    async "DOM.getContentQuads"(session, { objectId }) {
      return { quads: await this.callOn(session, objectId, "quads") };
    },
    async "DOM.scrollIntoViewIfNeeded"(session, { objectId, rect }) {
      const problem = await this.callOn(session, objectId, "show", rect ?? null);
      if (problem) {
        throw new Error(problem);
      }
    },
    async "DOM.describeNode"(session, { objectId }) {
      const { injectedScriptId } = JSON.parse(objectId);
      const ownerFrameId = this.contexts.get(session)?.get(injectedScriptId) ?? this.mainFrame;
      return { ownerFrameId, contentFrameId: await this.contentFrame(session, objectId) };
    },
    async "DOM.resolveNode"(session, { objectId, frameId }) {
      if (objectId !== undefined) {
        const { result } = await this.command(session, "Runtime.callFunctionOn", { objectId, functionDeclaration: "function () { return this; }" });
        return { object: result };
      }
      const [contextId] = [...(this.contexts.get(session) ?? [])].find(([, frame]) => frame === frameId) ?? [];
      const { result } = await this.command(session, "Runtime.evaluate", { contextId, expression: "window.frameElement" });
      return { object: result };
    },
    async "DOM.setInputFiles"(session, { objectId, paths }) {
      const files = await Promise.all(paths.map(async (path) => ({ name: basename(path), bytes: (await readFile(path)).toString("base64") })));
      await this.callOn(session, objectId, "setFiles", JSON.stringify(files));
    },
  };

  async evaluate(session, expression) {
    const { result, wasThrown } = await this.command(session, "Runtime.evaluate", { expression, returnByValue: true, emulateUserGesture: true });
    if (wasThrown) {
      throw new Error(result.description);
    }
    return result.value;
  }

  /** Moves the mouse, or presses or releases a button of it. */
  async mouse(event) {
    if (event.type === "move" || event.button === "left") {
      await this.driver.mouse(this.window, event);
      return;
    }
    // WebKit's WebDriver releases the left button instead of others.
    const { x, y } = this.origin;
    await this.context.browser.display.mouse(event, x + Math.round(event.x), y + Math.round(event.y));
    await new Promise((done) => setTimeout(done, EVENT_MS));
  }

  /** Makes the page as large as given. */
  async resize() {
    const [width, height] = this.size;
    for (let attempt = 0; attempt < RESIZES; attempt += 1) {
      const [innerWidth, innerHeight] = await this.evaluate(this.session, "[innerWidth, innerHeight]");
      if (innerWidth === width && innerHeight === height) {
        const window = await this.driver.to(this.window, "GET", "/window/rect");
        this.origin = { x: window.x, y: window.y + window.height - innerHeight };
        return;
      }
      if (attempt % 10 === 0) {
        await this.driver.grow(this.window, width - innerWidth, height - innerHeight);
      } else {
        await new Promise((done) => setTimeout(done, 20));
      }
    }
    throw new Error(`the page is not ${width} by ${height} pixels large`);
  }

  /** The frame within an element, if that is of the same origin. */
  async contentFrame(session, objectId) {
    if (!(await this.callOn(session, objectId, "markFrame"))) {
      return undefined;
    }
    for (const [contextId, frameId] of this.contexts.get(session) ?? []) {
      const { result } = await this.command(session, "Runtime.evaluate", { contextId, expression: SCRIPTS.takeMark, returnByValue: true });
      if (result.value === true) {
        return frameId;
      }
    }
    return undefined;
  }

  /** Begins a navigation of the main frame. Returns the identifier of the loader, as Playwright expects it. */
  async navigate(url) {
    const isSameDocument = url.includes("#") && url.split("#")[0] === this.url.split("#")[0];
    const loader = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no navigation to ${url}`)), NAVIGATION_MS_MAX);
      this.navigation = (loaderId) => {
        clearTimeout(timer);
        this.navigation = undefined;
        resolve({ loaderId });
      };
    });
    loader.catch(() => undefined);
    await this.driver.to(this.window, "POST", "/url", { url });
    if (isSameDocument) {
      this.navigation(undefined);
    } else {
      // The page may ask whether it shall be left.
      setTimeout(() => this.navigation && void this.driver.to(this.window, "POST", "/alert/accept", {}).catch(() => undefined), QUESTION_MS);
    }
    return loader;
  }

  // From WebKit.

  receive(message) {
    const { method, params } = message;
    switch (method) {
      case "Target.targetCreated":
        this.contexts.set(params.targetInfo.targetId, new Map());
        if (params.targetInfo.isProvisional) {
          this.nextSession = params.targetInfo.targetId;
        } else {
          this.session = params.targetInfo.targetId;
        }
        this.emit(method, params);
        return;
      case "Target.didCommitProvisionalTarget":
        this.session = params.newTargetId;
        this.nextSession = undefined;
        this.emit(method, params);
        return;
      case "Target.targetDestroyed":
        this.contexts.delete(params.targetId);
        for (const [id, { session, reject }] of this.waiting) {
          if (session === params.targetId) {
            this.waiting.delete(id);
            reject(new Error("the page is gone"));
          }
        }
        this.emit(method, params);
        return;
      case "Target.dispatchMessageFromTarget":
        this.receiveFrom(params.targetId, params.message);
        return;
      default:
        // The answer to a message to a part of the page, before the answer of the part.
        this.context.browser.inspector.hurry();
        return;
    }
  }

  receiveFrom(session, text) {
    const message = JSON.parse(text);
    if (message.id >= OWN_IDS) {
      const { resolve, reject } = this.waiting.get(message.id) ?? {};
      this.waiting.delete(message.id);
      if (message.error) {
        reject?.(new Error(message.error.message));
      } else {
        resolve?.(message.result);
      }
      return;
    }
    for (const told of this.events(session, message)) {
      this.emitFrom(session, told);
    }
  }

  /** What Playwright is told of a message: other messages before it, or instead of it. */
  events(session, message) {
    const { method, params } = message;
    switch (method) {
      case undefined:
        if (message.result?.frameTree) {
          this.learnFrames(session, message.result.frameTree);
        }
        return [message];
      case "Runtime.executionContextCreated":
        return this.contextCreated(session, message);
      case "Page.frameNavigated":
        return this.frameNavigated(session, message);
      case "Page.loadEventFired":
      case "Page.domContentEventFired":
        return [{ method, params: { ...params, frameId: this.mainFrame } }];
      case "Page.frameStoppedLoading":
        if (params.frameId === this.mainFrame) {
          return [];
        }
        return ["Page.domContentEventFired", "Page.loadEventFired"].map((name) => ({ method: name, params: { frameId: params.frameId } }));
      case "Page.frameDetached":
        this.frames.delete(params.frameId);
        return [message];
      case "Network.requestWillBeSent":
      case "Network.requestIntercepted":
      case "Network.responseReceived":
      case "Network.loadingFinished":
      case "Network.loadingFailed":
        return this.network(session, message);
      case "Console.messageAdded":
        return params.message.parameters?.[0]?.value === SCRIPT_TAG ? this.reported(session, params.message.parameters.slice(1)) : [message];
      default:
        return [message];
    }
  }

  /**
   * A page of another site gets another process, which requests it again. What the first process says
   * of its request, that it was cancelled, is not for Playwright.
   */
  network(session, message) {
    const { method, params } = message;
    const isOfPage = method === "Network.requestWillBeSent" && params.type === "Document" && !params.redirectResponse;
    if (isOfPage && session === this.nextSession) {
      this.navigation?.(params.loaderId);
    } else if (isOfPage && session === this.session && params.frameId === this.mainFrame) {
      this.held = message;
      this.nextUrl = params.request.url;
      return [];
    }
    const { held } = this;
    if (held?.params.requestId !== params.requestId || session !== this.session) {
      return [message];
    }
    if (method === "Network.requestIntercepted" && new URL(this.nextUrl).origin !== new URL(this.url).origin) {
      // It fails if the page is closed meanwhile.
      this.command(session, "Network.interceptContinue", { requestId: params.requestId, stage: "request" }).catch(() => undefined);
      return [];
    }
    this.held = undefined;
    if (method === "Network.loadingFailed" && this.nextSession !== undefined) {
      return [];
    }
    this.navigation?.(held.params.loaderId);
    return [held, message];
  }

  learnFrames(session, { frame, childFrames = [] }) {
    this.frames.add(frame.id);
    if (!frame.parentId && session === this.session) {
      this.mainFrame = frame.id;
      this.url = frame.url;
    }
    for (const child of childFrames) {
      this.learnFrames(session, child);
    }
  }

  contextCreated(session, message) {
    const { id, type, frameId } = message.params.context;
    if (type !== "normal") {
      return [];
    }
    this.contexts.get(session)?.set(id, frameId);
    setImmediate(() => this.emitUtility(session, id, frameId));
    return [message];
  }

  emitUtility(session, contextId, frameId) {
    this.emitFrom(session, { method: "Runtime.executionContextCreated", params: { context: { id: contextId + UTILITY, type: "user", name: "__playwright_utility_world__", frameId } } });
  }

  frameNavigated(session, message) {
    const { frame } = message.params;
    const contexts = this.contexts.get(session);
    for (const [contextId, frameId] of contexts ?? []) {
      if (frameId === frame.id) {
        contexts.delete(contextId);
      }
    }
    const isNew = !this.frames.has(frame.id);
    this.frames.add(frame.id);
    if (!frame.parentId) {
      this.mainFrame = frame.id;
      this.url = frame.url;
      this.navigation?.(frame.loaderId);
      return [message];
    }
    return isNew ? [{ method: "Page.frameAttached", params: { frameId: frame.id, parentFrameId: frame.parentId } }, message] : [message];
  }

  /** What scripts of the page report. */
  reported(session, [kind, subject, object]) {
    const contextId = object?.objectId ? JSON.parse(object.objectId).injectedScriptId : undefined;
    switch (kind.value) {
      case "binding":
        return [{ method: "Runtime.bindingCalled", params: { contextId, argument: subject.value } }];
      case "url":
        this.url = subject.value;
        return [{ method: "Page.navigatedWithinDocument", params: { frameId: this.mainFrame, url: subject.value } }];
      case "files":
        return [{ method: "Page.fileChooserOpened", params: { frameId: this.contexts.get(session)?.get(contextId) ?? this.mainFrame, element: object } }];
      default:
        return [];
    }
  }
}
