/** Scripts that run on the pages. What they report to the relay, they write by `console.debug`. */

/** First argument of what is meant for the relay. */
export const SCRIPT_TAG = "quadrille-relay";

const BINDING = "__playwright__binding__";

/** Functions with a remote object as `this`. */
const FUNCTIONS = {
  /** Corners of the boxes of an element, in the coordinates of the window. */
  quads() {
    let element = this;
    while (element && element.nodeType !== 1) {
      element = element.parentNode;
    }
    let [left, top] = [0, 0];
    for (let frame = element?.ownerDocument.defaultView?.frameElement; frame; frame = frame.ownerDocument.defaultView.frameElement) {
      const box = frame.getBoundingClientRect();
      left += box.left + frame.clientLeft;
      top += box.top + frame.clientTop;
    }
    return [...(element?.getClientRects() ?? [])].map((box) => [box.left, box.top, box.right, box.top, box.right, box.bottom, box.left, box.bottom].map((value, index) => value + (index % 2 === 0 ? left : top)));
  },

  /** Scrolls an element into view. Returns why that is not possible. */
  show(rect) {
    if (!this.isConnected) {
      return "Node is detached from document";
    }
    const element = this.nodeType === 1 ? this : this.parentElement;
    const box = element?.getBoundingClientRect();
    if (!element || element.getClientRects().length === 0) {
      return "Node does not have a layout object";
    }
    const { x = 0, y = 0, width = box.width, height = box.height } = rect ?? {};
    const [left, top] = [box.left + x, box.top + y];
    const isShown = left >= 0 && top >= 0 && left + width <= innerWidth && top + height <= innerHeight;
    // A box within may be scrolled out of another one.
    const middle = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!isShown || !middle || !(element.contains(middle) || middle.contains(element))) {
      element.scrollIntoView({ block: isShown ? "nearest" : "center", inline: isShown ? "nearest" : "center", behavior: "instant" });
    }
    return "";
  },

  /** Gives a field for files its files, as a person does. */
  setFiles(json) {
    const chosen = new DataTransfer();
    for (const { name, bytes } of JSON.parse(json)) {
      chosen.items.add(new File([Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0))], name));
    }
    this.files = chosen.files;
    this.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    this.dispatchEvent(new Event("change", { bubbles: true }));
  },

  /** Marks the page within a frame. Returns whether this is a frame that can be reached. */
  markFrame() {
    try {
      if (this.contentWindow) {
        this.contentWindow.markOfRelay = true;
        return true;
      }
    } catch {
      // Of another origin.
    }
    return false;
  },
};

/** Source of a function for `Runtime.callFunctionOn`. */
export function call(name) {
  return `function ${FUNCTIONS[name].toString()}`;
}

/** Reports navigations within a page. */
export const PAGE_SCRIPT = `(() => {
  if (window.top !== window || window.isWatchedByRelay) {
    return;
  }
  Object.defineProperty(window, "isWatchedByRelay", { value: true });
  let last = location.href;
  const { debug } = console;
  const report = () => {
    if (location.href !== last) {
      last = location.href;
      debug("${SCRIPT_TAG}", "url", last);
    }
  };
  for (const name of ["pushState", "replaceState"]) {
    const changed = History.prototype[name];
    History.prototype[name] = function (...given) {
      changed.apply(this, given);
      report();
    };
  }
  addEventListener("popstate", report);
  addEventListener("hashchange", report);
})()`;

/** Sources of scripts. */
export const SCRIPTS = {
  installBinding: `if (!window["${BINDING}"]) {
    const { debug } = console;
    Object.defineProperty(window, "${BINDING}", { value: (payload) => debug("${SCRIPT_TAG}", "binding", payload, {}) });
  }`,

  /** Reports fields for files instead of opening a dialog. */
  interceptFiles: (isEnabled) => `(() => {
    window.interceptsFilesForRelay = ${isEnabled};
    if (window.hasFilesOfRelay) {
      return;
    }
    window.hasFilesOfRelay = true;
    const { debug } = console;
    const { click } = HTMLInputElement.prototype;
    addEventListener("click", (event) => {
      const [field] = event.composedPath();
      if (window.interceptsFilesForRelay && field instanceof HTMLInputElement && field.type === "file") {
        event.preventDefault();
        debug("${SCRIPT_TAG}", "files", "", field);
      }
    }, true);
    HTMLInputElement.prototype.click = function () {
      if (window.interceptsFilesForRelay && this.type === "file" && !this.isConnected) {
        debug("${SCRIPT_TAG}", "files", "", this);
      } else {
        click.call(this);
      }
    };
  })()`,

  /** Inserts a text where the focus is, as an input method does. */
  insertText: (text) => `(() => {
    let where = document;
    while (where.activeElement?.contentDocument) {
      where = where.activeElement.contentDocument;
    }
    where.execCommand("insertText", false, ${JSON.stringify(text)});
  })()`,

  setOnline: (isOnline) => `Object.defineProperty(navigator, "onLine", { configurable: true, get: () => ${isOnline} });
    dispatchEvent(new Event(${JSON.stringify(isOnline ? "online" : "offline")}));`,

  takeMark: `(() => { const isMarked = "markOfRelay" in window; delete window.markOfRelay; return isMarked; })()`,
};
