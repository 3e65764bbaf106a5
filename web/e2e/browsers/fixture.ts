/** What the tests of everyday work get in every browser: a server and people with windows. */

import { test as base, expect } from "@playwright/test";
import { Server } from "../server.ts";
import { type BrowserWindow, Person } from "./person.ts";

/** The fixture of a test. */
export interface Everyday {
  readonly server: Server;
  /** Opens the workbook of the test as another person. */
  enter(): Promise<Person>;
}

/** The windows of one browser. */
interface Windows {
  /** Opens a window with storage of its own; `files` is the directory in which the browser saves files. */
  open(): Promise<{ readonly window: BrowserWindow; readonly files: string }>;
  close(): Promise<void>;
}

/** People of all tests of a worker. Their windows stay open, because starting a browser takes seconds. */
class People {
  readonly server: Server;
  private readonly windows: Windows;
  private readonly all: Person[] = [];

  constructor(server: Server, windows: Windows) {
    this.server = server;
    this.windows = windows;
  }

  /** The first person, the second one and so on. */
  async person(index: number): Promise<Person> {
    const known = this.all[index];
    if (known) {
      return known;
    }
    const { window, files } = await this.windows.open();
    const person = new Person(window, files);
    this.all.push(person);
    return person;
  }

  async leave(): Promise<void> {
    await this.windows.close();
    await this.server.stop();
  }
}

/** The test function for a browser. A test fails if a page had errors. */
export function everydayTest(start: () => Promise<Windows>) {
  return base.extend<{ everyday: Everyday }, { people: People }>({
    people: [
      async ({}, use) => {
        const people = new People(await Server.start(), await start());
        await use(people);
        await people.leave();
      },
      { scope: "worker" },
    ],
    everyday: async ({ people }, use, info) => {
      const present: Person[] = [];
      const enter = async (): Promise<Person> => {
        const person = await people.person(present.length);
        present.push(person);
        await person.opens(`${people.server.url}/test-${info.testId}`);
        return person;
      };
      await use({ server: people.server, enter });
      for (const person of present) {
        expect(await person.problems(), "errors on the page").toEqual([]);
      }
    },
  });
}
