/**
 * The script of a form's page, `/form.js`. The page works without it. With it, answers are checked
 * while they are filled in, by the rules and with the sentences that the server has written into the
 * page, and a response is kept in this browser until the server has it.
 */

import { brokenRule, rulesOf } from "./rules.ts";
import { keptResponses, keep, forget, type Response as FormResponse } from "./outbox.ts";
import { deliver } from "./delivery.ts";

/** Milliseconds between attempts to send kept responses. The browser also says when it is online. */
const RETRY_MS = 15_000;

const form = document.querySelector<HTMLFormElement>("#form");
const alertBox = document.querySelector<HTMLElement>("#alert");
const link = location.pathname.split("/").at(-1) ?? "";

if (form && alertBox) {
  start(form, alertBox);
}

function start(form: HTMLFormElement, alertBox: HTMLElement): void {
  // The sentences of the server instead of those of the browser.
  form.noValidate = true;
  let isSending = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!isSending && check(form, alertBox)) {
      const response = responseOf(form);
      isSending = true;
      void keep(link, response).then(() => {
        isSending = false;
        return send(response);
      });
    }
  });
  // An error goes away when its answer is mended, and appears when an answer is left.
  form.addEventListener("input", (event) => {
    const question = questionOf(event.target);
    if (question && errorOf(question)?.hidden === false) {
      show(question, brokenRule(rulesOf(form, question)));
    }
  });
  form.addEventListener("change", (event) => {
    const question = questionOf(event.target);
    if (question) {
      show(question, brokenRule(rulesOf(form, question)));
    }
  });
  addEventListener("online", () => void sendKept());
  setInterval(() => void sendKept(), RETRY_MS);
  void sendKept();

  async function sendKept(): Promise<void> {
    if (isSending) {
      return;
    }
    for (const response of await keptResponses(link)) {
      await send({ ...response, isRepeated: true });
    }
  }

  async function send(response: FormResponse): Promise<void> {
    if (isSending) {
      return;
    }
    isSending = true;
    setBusy(form, true);
    const outcome = await deliver(link, response);
    isSending = false;
    setBusy(form, false);
    switch (outcome.kind) {
      case "recorded":
        await forget(link, response);
        done(outcome.confirmation);
        return;
      case "refused":
        await forget(link, response);
        refill(form, response);
        for (const { question, message } of outcome.errors) {
          const element = form.querySelector<HTMLElement>(`[data-question="${CSS.escape(question)}"]`);
          if (element) {
            show(element, message);
          }
        }
        say(alertBox, outcome.message);
        focusFirstError(form, alertBox);
        return;
      case "unreachable":
        // Shown as kept; the form is not needed meanwhile.
        await keep(link, { ...response, isRepeated: true });
        form.hidden = true;
        say(alertBox, outcome.message ?? form.dataset["offline"] ?? "");
        alertBox.classList.add("waiting");
        return;
      default:
        outcome satisfies never;
    }
  }

  function done(confirmation: string): void {
    const box = document.createElement("div");
    box.className = "done";
    box.setAttribute("role", "status");
    box.tabIndex = -1;
    const sentence = document.createElement("p");
    sentence.dir = "auto";
    const again = document.createElement("a");
    again.href = location.pathname + location.search;
    again.textContent = form.dataset["another"] ?? "";
    const line = document.createElement("p");
    line.append(again);
    box.append(sentence);
    alertBox.hidden = true;
    form.replaceWith(box, line);
    // Into the region that is there already, so that screen readers say it.
    sentence.textContent = confirmation;
    box.focus();
  }
}

function check(form: HTMLFormElement, alertBox: HTMLElement): boolean {
  let isRight = true;
  for (const question of form.querySelectorAll<HTMLElement>("[data-question]")) {
    const message = brokenRule(rulesOf(form, question));
    show(question, message);
    isRight &&= message === undefined;
  }
  if (isRight) {
    alertBox.hidden = true;
  } else {
    say(alertBox, form.dataset["errors"] ?? "");
    focusFirstError(form, alertBox);
  }
  return isRight;
}

function responseOf(form: HTMLFormElement): FormResponse {
  const fields = new FormData(form);
  const text = (name: string): string => String(fields.get(name) ?? "");
  const answers: Record<string, string[]> = {};
  const files: Record<string, File> = {};
  for (const [name, value] of fields) {
    if (!/^q\d+$/.test(name)) {
      continue;
    }
    if (typeof value === "string") {
      (answers[name.slice(1)] ??= []).push(value);
    } else if (value.name !== "") {
      files[name.slice(1)] = value;
    }
  }
  return { submission: text("submission"), revision: Number(text("revision")), isRepeated: false, website: text("website"), answers, files };
}

/** Shows the answers of a response that was kept and is refused now. */
function refill(form: HTMLFormElement, response: FormResponse): void {
  form.hidden = false;
  for (const control of form.elements) {
    if (!/^q\d+$/.test(control.getAttribute("name") ?? "")) {
      continue;
    }
    if (control instanceof HTMLInputElement && control.type === "file") {
      refillFile(control, response.files[control.name.slice(1)]);
      continue;
    }
    const given = response.answers[(control.getAttribute("name") ?? "").slice(1)] ?? [];
    if (control instanceof HTMLInputElement && (control.type === "checkbox" || control.type === "radio")) {
      control.checked = given.includes(control.value);
    } else if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement || control instanceof HTMLSelectElement) {
      control.value = given[0] ?? "";
    }
  }
}

function refillFile(control: HTMLInputElement, file: File | undefined): void {
  const chosen = new DataTransfer();
  if (file) {
    chosen.items.add(file);
  }
  control.files = chosen.files;
}

function questionOf(target: EventTarget | null): HTMLElement | undefined {
  return target instanceof Element ? (target.closest<HTMLElement>("[data-question]") ?? undefined) : undefined;
}

function errorOf(question: HTMLElement): HTMLElement | null {
  return question.querySelector(".error");
}

/** Shows the error of a question, or that there is none. */
function show(question: HTMLElement, message: string | undefined): void {
  const error = errorOf(question);
  if (!error) {
    return;
  }
  error.textContent = message ?? "";
  error.hidden = message === undefined;
  const described = question.matches("fieldset") ? question : question.querySelector("input, select, textarea");
  if (message === undefined) {
    described?.removeAttribute("aria-invalid");
  } else {
    described?.setAttribute("aria-invalid", "true");
  }
}

function say(alertBox: HTMLElement, sentence: string): void {
  alertBox.classList.remove("waiting");
  alertBox.textContent = sentence;
  alertBox.hidden = false;
}

function focusFirstError(form: HTMLFormElement, alertBox: HTMLElement): void {
  const error = form.querySelector<HTMLElement>(".error:not([hidden])");
  const control = error?.closest("[data-question]")?.querySelector<HTMLElement>("input, select, textarea");
  (control ?? alertBox).focus();
}

function setBusy(form: HTMLFormElement, isBusy: boolean): void {
  const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
  if (button) {
    const shown = button.dataset["text"] ?? button.textContent ?? "";
    button.dataset["text"] = shown;
    button.textContent = isBusy ? (form.dataset["submitting"] ?? shown) : shown;
    button.setAttribute("aria-disabled", String(isBusy));
  }
}
