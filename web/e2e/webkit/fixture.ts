/** Test fixture: a server, and people with windows of WebKit. */

import { test as base, expect } from "@playwright/test";
import { Server } from "../server.ts";
import { Driver } from "./browser.ts";
import { Person } from "./person.ts";

export { expect };

/** The fixture of a test. */
interface Everyday {
  readonly server: Server;
  /** Opens the workbook of the test as another person. */
  enter(): Promise<Person>;
}

/** People of all tests of a worker. Their windows stay open, because starting a browser takes seconds. */
class People {
  readonly server: Server;
  private readonly drivers: Driver[] = [];
  private readonly all: Person[] = [];

  constructor(server: Server) {
    this.server = server;
  }

  /** The first person, the second one and so on. */
  async person(index: number): Promise<Person> {
    const known = this.all[index];
    if (known) {
      return known;
    }
    const driver = await Driver.start();
    this.drivers.push(driver);
    const person = new Person(await driver.open(), driver.home);
    this.all.push(person);
    return person;
  }

  async leave(): Promise<void> {
    await Promise.all(this.drivers.map((driver) => driver.stop()));
    await this.server.stop();
  }
}

/** A test fails if a page had errors. */
export const test = base.extend<{ everyday: Everyday }, { people: People }>({
  people: [
    async ({}, use) => {
      const people = new People(await Server.start());
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
