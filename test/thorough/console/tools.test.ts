/** Commands in the console: started from a form, followed live, stopped, repeated, and found again. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOOLS } from '../../../shared/tools/list.ts';
import { violations } from '../../console/accessibility.ts';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { type StandIn, standInAt } from '../../support/enrolled-agent.ts';
import { foundHost, nmapResult } from '../../support/found-host.ts';
import { type StandInCommand, takeCommand } from '../../support/stand-in-command.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

describeConsole('tools and runs', startConsoleApi, (ui) => {
  /** A site whose only agent does what the test says. */
  let site: string;
  let agent: StandIn;
  beforeAll(async () => {
    site = await ui.lanreach.addSite();
    agent = await standInAt(ui.lanreach, site, 'attic');
  });
  afterAll(() => agent?.[Symbol.asyncDispose]());

  const { open } = ui;

  /** Fills in the form of the traceroute, runs it, and takes its command at the agent, which it follows. */
  async function startTrace(page: Page, target: string): Promise<StandInCommand> {
    await page.getByRole('combobox', { name: 'Target' }).fill(target);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const command = await takeCommand(agent);
    await command.isWatched(1);
    return command;
  }

  const run = (page: Page, name: string) => page.getByRole('article', { name });
  const traceOf = (page: Page, target: string) => run(page, `Trace route · ${target}`);

  test('every tool has a form in which every field has a label', async () => {
    const { page } = await open('/sites/home/tools');
    await page.getByRole('list', { name: 'Choose a tool' }).getByRole('link', { name: 'Scan ports' }).click();
    for (const tool of TOOLS) {
      await page.getByRole('navigation', { name: 'All tools' }).locator(`a[href$="/${tool}"]`).click();
      await page.getByRole('heading', { name: tool, level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
      const labels = await page.locator('form label').allTextContents();
      expect(labels.filter((label) => /[a-z][A-Z]/.test(label))).toEqual([]);
    }
  });

  test('what is wrong is said beside the field before anything is sent; a device may be named instead of its address', async () => {
    const other = await ui.lanreach.addSite('devMac,devName,devLastIP\n00:1E:06:00:00:07,attic-cam,127.0.0.1\n');
    const { page } = await open(`/sites/${other}/tools/nmap`);
    const sent: (string | null)[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.postData());
    });
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const target = page.getByRole('combobox', { name: 'Target' });
    await expect.poll(() => target.getAttribute('aria-invalid')).toBe('true');
    expect(await target.evaluate('document.activeElement.name')).toBe('scan');
    for (const wrong of ['10.0.0.0/33', 'cellar']) {
      await target.fill(wrong);
      await page.keyboard.press('Enter');
      await page.getByText(`“${wrong}” is neither a known device nor an address.`).waitFor();
    }
    await page.getByRole('link', { name: 'Wake' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Enter a device, IP address or MAC address.').waitFor();
    expect(sent).toEqual([]);

    await page.getByRole('link', { name: 'Scan ports' }).click();
    await target.fill('attic');
    await page.getByRole('option', { name: 'attic-cam' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('No agent of site').waitFor();
    expect(sent).toEqual(['{"scan":"127.0.0.1","mode":"normal"}']);
  });

  test('a scan: run from the keyboard, its result as a table, its output folded, and filled in again with two presses', async () => {
    const { page } = await open(`/sites/${site}/tools/nmap`);
    const scanned = async () => {
      const result = nmapResult([foundHost('127.0.0.1', null)]);
      await (await takeCommand(agent)).end({ output: 'Nmap scan report for 127.0.0.1\n', result });
    };
    const target = page.getByRole('combobox', { name: 'Target' });
    await target.fill(' 127.0.0.1 ');
    await page.getByLabel('Mode').selectOption('fast');
    await target.press('Enter');
    await scanned();
    const title = 'Scan ports · 127.0.0.1 · fast';
    const first = run(page, title);
    await first.getByText(/^(?:no|\d+) open ports?$/).waitFor();
    await first.getByText('127.0.0.1', { exact: true }).waitFor();
    await first.getByText('ports scanned').waitFor();
    expect(await first.getByRole('log').isVisible()).toBe(false);
    await first.getByText('Raw output').click();
    await first.getByRole('log', { name: 'Output' }).getByText('Nmap scan report for 127.0.0.1').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      first.getByRole('button', { name: 'Download the result as JSON' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(new RegExp(`^nmap-${site}-[0-9a-f-]+\\.json$`));

    await page.reload();
    await page.getByRole('region', { name: 'Last result' }).getByText('ports scanned').waitFor();
    await page.getByRole('link', { name: 'Open this run' }).click();
    await page.getByRole('heading', { name: 'Scan ports 127.0.0.1 fast', level: 1 }).waitFor();
    const before = page.url();
    await page.getByRole('button', { name: 'Run again' }).focus();
    await page.keyboard.press('Enter');
    await scanned();
    await expect.poll(() => page.url()).not.toBe(before);
    await page.getByText('ports scanned').waitFor();
  });

  test('two commands at once, each with its output and progress; one is stopped', async () => {
    const { page } = await open(`/sites/${site}/tools/traceroute`);
    const one = await startTrace(page, '10.0.0.1');
    await one.progress('sending probes', 40);
    await one.print(' 1  first hop\n');
    const first = traceOf(page, '10.0.0.1');
    await first.getByText('sending probes').waitFor();
    await first.getByText('40 %').waitFor();
    expect(await first.getByRole('progressbar').getAttribute('value')).toBe('40');
    await first.getByText('first hop').waitFor();
    // What goes on is said in one place: the runs before stand below.
    expect(await page.getByRole('row', { name: '10.0.0.1' }).count()).toBe(0);

    const two = await startTrace(page, '10.0.0.2');
    await two.print(' 1  another hop\n');
    await traceOf(page, '10.0.0.2').getByText('another hop').waitFor();
    expect(await violations(page)).toEqual([]);

    await traceOf(page, '10.0.0.2').getByRole('button', { name: 'Stop' }).click();
    await traceOf(page, '10.0.0.2').getByRole('button', { name: 'Stopping' }).waitFor();
    await agent.control('cancel', two.id);
    await two.end({ state: 'cancelled', reason: 'cancelled' });
    await traceOf(page, '10.0.0.2').getByText('stopped').waitFor();
    await traceOf(page, '10.0.0.2').getByText('another hop').waitFor();
    await first.getByText('running', { exact: true }).waitFor();
    await one.end();
    await first.getByText('succeeded').waitFor();
    expect(await first.getByRole('log').textContent()).toBe(' 1  first hop\n');
  });

  test('a stream that breaks goes on where it was: nothing is lost, nothing comes twice', async () => {
    await using network = await startTcpProxy(() => Number(new URL(ui.lanreach.url).port));
    const { page } = await open(`/sites/${site}/tools/traceroute`, { url: `http://127.0.0.1:${network.port}` });
    const cut = () => {
      network.newConnections = 'refuse';
      network.resetAll();
    };
    const resumedAt: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/events')) resumedAt.push(request.headers()['last-event-id']);
    });
    const command = await startTrace(page, '10.0.0.3');
    await command.print('one\n');
    const shown = traceOf(page, '10.0.0.3');
    await shown.getByText('one').waitFor();
    cut();
    await shown.getByText('Connection lost').waitFor();
    await command.print('two\n');
    network.newConnections = 'pass';
    await command.isWatched(2);
    await shown.getByText('two').waitFor();
    await command.print('three\n');
    await shown.getByText('three').waitFor();
    expect(await shown.getByRole('log').textContent()).toBe('one\ntwo\nthree\n');
    expect(await shown.getByText('Connection lost').count()).toBe(0);

    cut();
    await shown.getByText('Connection lost').waitFor();
    await command.end({ output: 'one\ntwo\nthree\nfour\n' });
    network.newConnections = 'pass';
    await shown.getByText('succeeded').waitFor();
    expect(await shown.getByRole('log').textContent()).toBe('one\ntwo\nthree\nfour\n');
    expect(resumedAt[0]).toBe('0');
    expect(resumedAt).toContain('4');
  });

  test('a command that ends while the tab sleeps is shown as ended when somebody looks again', async () => {
    const { page, context } = await open(`/sites/${site}/tools/traceroute`);
    const command = await startTrace(page, '10.0.0.4');
    await command.print('before\n');
    const shown = traceOf(page, '10.0.0.4');
    await shown.getByText('before').waitFor();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    await command.print('meanwhile\n');
    await command.end();
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    await shown.getByText('succeeded').waitFor();
    expect(await shown.getByRole('log').textContent()).toBe('before\nmeanwhile\n');
  });

  test('hostile output is text: no markup, no sequences of terminals', async () => {
    const { page } = await open(`/sites/${site}/tools/traceroute`);
    const command = await startTrace(page, '10.0.0.5');
    await command.progress('<b>phase</b>\u202e', null);
    await command.print('<img src=x onerror="document.title=1">\u001b[2J\u001b[31mred\u001b[0m\u0007 \u202eabc\n');
    const shown = traceOf(page, '10.0.0.5');
    await shown.getByText('<b>phase</b>').waitFor();
    const log = shown.getByRole('log');
    await log.getByText('red').waitFor();
    expect(await log.evaluate('document.querySelectorAll("article img, article b").length')).toBe(0);
    expect(await log.textContent()).toBe('<img src=x onerror="document.title=1">red \u202eabc\n');
    await command.end({ message: '<i>late</i>', state: 'failed', reason: 'tool_failed' });
    await shown.getByText('<i>late</i>').waitFor();
  });

  test('runs: live, filtered, by whom, and one of them with its link', async () => {
    const other = await ui.lanreach.createToken({ name: 'a colleague', sites: [site] });
    const headers = { prefer: 'respond-async' };
    const body = { devLastIP: '10.0.0.9' };
    const started = ui.lanreach.request('POST', '/nettools/traceroute', { site, body, headers, token: other });
    const command = await takeCommand(agent);
    await started;
    const { page } = await open(`/sites/${site}/runs`);
    const row = page.getByRole('row', { name: '10.0.0.9' });
    await row.getByText('a colleague').waitFor();
    await page.getByLabel('Started by').selectOption('Only mine');
    await row.waitFor({ state: 'detached' });
    await page.getByLabel('Started by').selectOption('Everyone');
    await page.getByRole('combobox', { name: 'Device' }).fill('10.0.0.90');
    await page.getByText('No matches').waitFor();
    await page.getByRole('combobox', { name: 'Device' }).fill('10.0.0.9');
    await row.waitFor();
    await page.getByLabel('Tool', { exact: true }).selectOption('Scan ports');
    await page.getByText('No matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel('State').selectOption('stopped');
    await page.reload();
    expect(await page.getByLabel('State').inputValue()).toBe('cancelled');
    await page.getByLabel('State').selectOption('All states');

    await row.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Trace route 10.0.0.9', level: 1 }).waitFor();
    await command.isWatched(1);
    await command.print('seen live\n');
    await page.getByRole('log').getByText('seen live').waitFor();
    // A link to the run behind another site leads to the run.
    await page.goto(`${ui.lanreach.url}/console/#/sites/home/runs/${command.id}`);
    await expect.poll(() => page.url()).toContain(`#/sites/${site}/runs/${command.id}`);
    await command.isWatched(2);
    await command.end();
    await page.getByText('succeeded').waitFor();
    expect(await page.getByRole('log').textContent()).toBe('seen live\n');
    await page.getByRole('button', { name: 'Actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Edit and run' }).click();
    await expect.poll(() => page.getByRole('combobox', { name: 'Target' }).inputValue()).toBe('10.0.0.9');
    await page.getByRole('link', { name: 'Schedule …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a schedule' });
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Target' }).inputValue()).toBe('10.0.0.9');

    await page.goto(`${ui.lanreach.url}/console/#/sites/${site}/runs/${site}.01934c1e-5f00-7a11-8a22-0123456789ab`);
    await page.getByRole('alert').getByText('does not exist').waitFor();
  });
});
