/** What people come for, in at most five actions: a click, a text that is typed, or a key. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeConsole } from './describe-console.ts';
import { startRealisticSystem } from './filled-console.ts';

const MOST_ACTIONS = 5;

const start = async () => (await startRealisticSystem()).lanreach;

/** No hook is added. @returns what one was to be made of */
async function hookOf(page: Page): Promise<() => unknown> {
  let sent: unknown = null;
  await page.route('**/hooks?*', (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    sent = route.request().postDataJSON();
    return route.abort();
  });
  return () => sent;
}

/** Everything that a person does; each is counted. */
class Person {
  count = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async clicks(target: Locator): Promise<void> {
    this.count++;
    await target.click();
  }

  async types(target: Locator, text: string): Promise<void> {
    this.count++;
    await target.fill(text);
  }

  async chooses(target: Locator, option: string): Promise<void> {
    this.count++;
    await target.selectOption({ label: option });
  }

  async presses(key: string): Promise<void> {
    this.count++;
    await this.page.keyboard.press(key);
  }

  /** A link at the side. */
  goesTo(screen: string): Promise<void> {
    return this.clicks(
      this.page
        .getByRole('navigation')
        .getByRole('link', { name: screen, exact: true })
        .and(this.page.locator(':visible')),
    );
  }
}

describeConsole('fifteen tasks', start, (ui) => {
  const tasks: Record<string, (person: Person, page: Page) => Promise<void>> = {
    'a) what is on my LAN now': async (person, page) => {
      await person.goesTo('Devices');
      await page.getByRole('row').filter({ hasText: 'gateway' }).waitFor();
    },

    'b) find a device, and wake it': async (person, page) => {
      let body: unknown = null;
      // No magic packet leaves this machine.
      await page.route('**/nettools/wakeonlan*', (route) => {
        body = route.request().postDataJSON();
        return route.fulfill({ status: 202, json: { id: 'home.1', state: 'queued' } });
      });
      await person.presses('Control+k');
      await person.types(page.getByRole('combobox', { name: /^Search/ }), 'wake nas-1');
      await page.getByRole('option', { name: /nas-1/ }).first().waitFor();
      await person.presses('Enter');
      await expect.poll(() => body).toMatchObject({ devMac: expect.stringMatching(/^02:00:5E/) });
    },

    'c) its open ports, and what changed': async (person, page) => {
      await person.goesTo('Devices');
      await person.clicks(page.getByRole('row').filter({ hasText: 'nas-1' }).first());
      await person.clicks(page.getByRole('link', { name: 'Open page' }));
      await person.clicks(page.getByRole('button', { name: /^Ports/ }).first()); // The tab; the timeline has one, too.
      const scanned = page.getByText(/open|scan/i);
      await scanned.first().waitFor();
    },

    'd) what has changed here since Friday': async (person, page) => {
      await person.goesTo('Activity');
      await person.clicks(page.getByRole('button', { name: 'Friday' }));
      await page.getByRole('heading', { level: 2 }).first().waitFor();
    },

    'e) a push to my phone for new devices': async (person, page) => {
      const hook = await hookOf(page);
      await person.goesTo('Settings');
      await person.goesTo('Notifications');
      await person.clicks(page.getByRole('button', { name: 'Add', exact: true }));
      await person.clicks(page.getByRole('button', { name: /^ntfy/ }));
      await person.clicks(page.getByRole('button', { name: 'Save' }));
      await expect.poll(hook).toMatchObject({ format: 'ntfy', events: expect.arrayContaining(['new']) });
    },

    'f) a second site, and the line for its agent': async (person, page) => {
      await person.presses('Control+k');
      await person.types(page.getByRole('combobox', { name: /^Search/ }), 'add a site');
      await person.presses('Enter');
      await person.types(page.getByLabel('Name'), 'Allotment');
      await person.presses('Enter');
      await page.getByRole('figure', { name: 'Command' }).getByText('lanreach-agent enrol').waitFor();
    },

    'g) a colleague who may only look': async (person, page) => {
      await person.goesTo('Admin');
      await person.clicks(page.getByRole('button', { name: 'Invite by link' }));
      await person.types(page.getByLabel('Name'), 'Ada');
      await person.clicks(page.getByRole('checkbox', { name: /^Home/ }));
      await person.presses('Enter');
      await page.getByRole('figure', { name: 'Sign-in link' }).waitFor();
    },

    'h) why an agent is offline': async (person, page) => {
      await page.goto(page.url().replace('/sites/home', '/sites/office'));
      await person.clicks(page.getByRole('main').getByRole('link', { name: /attic/ }).first());
      await page.getByText('The connection timed out.').first().waitFor();
      await page.getByText('lanreach-agent doctor').first().waitFor();
    },

    'i) how fast and how often it was there last week': async (person, page) => {
      await page.goto(page.url().replace('/sites/home', '/sites/office'));
      await person.goesTo('Devices');
      await person.clicks(page.getByRole('row').filter({ hasText: 'workstation-1' }).first());
      await person.clicks(page.getByRole('link', { name: 'Open page' }));
      await person.clicks(page.getByRole('button', { name: '7 days', exact: true }));
      await page.getByText('Latency').first().waitFor();
      await page.getByText(/\d %/).first().waitFor();
    },

    'j) how fast the internet has been': async (person, page) => {
      await person.goesTo('Monitoring');
      await page.getByText('Mbit/s').first().waitFor();
      await page.getByText('Speed tests').first().waitFor();
    },

    'k) a role for a colleague before their first sign-in': async (person, page) => {
      await person.goesTo('Admin');
      await person.clicks(page.getByRole('button', { name: 'Add person' }));
      await person.types(page.getByLabel('Email'), 'eva@example.org');
      await person.chooses(page.getByLabel('Role', { exact: true }), 'Operator');
      await person.presses('Enter');
      await page.getByText('eva@example.org was added.').waitFor();
      const row = page.getByRole('row').filter({ hasText: 'eva@example.org' });
      await row.getByText('Operator').waitFor();
      await row.getByText('Invited').waitFor();
    },

    'l) open ports at all sites with a tag, compared': async (person, page) => {
      await page.goto(page.url().replace('/sites/home', '/events'));
      await person.goesTo('Fleet');
      await person.clicks(page.getByRole('link', { name: 'New run' }));
      await person.types(page.getByLabel('Target'), '192.168.178.1');
      await person.clicks(page.getByRole('checkbox', { name: /^private/ }));
      await person.clicks(page.getByRole('button', { name: 'Run', exact: true }));
      await page.getByRole('heading', { name: /^Scan ports/, level: 1 }).waitFor();
      // The flat has no agent: skipped, and no failure.
      const flat = page.getByRole('listitem').filter({ hasText: 'Holiday flat' });
      await flat.getByText('no agent connected').first().waitFor();
      await flat.getByText('skipped').first().waitFor();
    },

    'm) a report each week': async (person, page) => {
      const hook = await hookOf(page);
      await person.goesTo('Settings');
      await person.goesTo('Notifications');
      await person.clicks(page.getByRole('button', { name: 'Weekly report' }));
      await person.clicks(page.getByRole('button', { name: /^ntfy/ }));
      await person.clicks(page.getByRole('button', { name: 'Save' }));
      await expect.poll(hook).toMatchObject({ events: [], digest: { every: 'week', weekday: 'monday' } });
    },

    'n) who changed this device, and what': async (person, page) => {
      await person.goesTo('Admin');
      await person.goesTo('Audit log');
      await person.chooses(page.getByLabel('Action'), 'Devices');
      await page.getByRole('row').filter({ hasText: 'Deleted speaker-1' }).getByText('you').waitFor();
      expect(await page.getByRole('row').filter({ hasText: 'Created the token' }).count()).toBe(0);
    },

    'o) bring back a device that was deleted': async (person, page) => {
      await person.goesTo('Devices');
      await person.clicks(page.getByRole('button', { name: 'Deleted', exact: true }));
      await person.clicks(page.getByRole('button', { name: 'Restore' }));
      await page.getByText('1 device restored').waitFor();
      expect(person.count).toBe(3);
    },
  };

  test.each(Object.entries(tasks))('%s', async (_, task) => {
    const { page } = await ui.open('/sites/home', { width: 1440, height: 900 });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const person = new Person(page);
    await task(person, page);
    expect(person.count).toBeGreaterThan(0);
    expect(person.count).toBeLessThanOrEqual(MOST_ACTIONS);
  });
});
