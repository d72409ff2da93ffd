/** Commands in the console: started from a form, followed live, stopped, repeated, and found again. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOOLS } from '../../shared/tools/list.ts';
import { enrolAgent, type StandIn, startStandIn } from '../support/enrolled-agent.ts';
import { startTestSystem } from '../test-system.ts';
import { faultsInBothThemes, violations } from './accessibility.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { describeConsole, WIDTHS } from './describe-console.ts';
import { type StandInCommand, takeCommand } from './stand-in-command.ts';

describeConsole('tools and jobs', startTestSystem, (ui) => {
  /** A site whose only agent does what the test says. */
  let site: string;
  let agent: StandIn;
  beforeAll(async () => {
    site = await ui.lanreach.addSite();
    agent = await startStandIn(ui.lanreach, await enrolAgent(ui.lanreach, site, 'attic'));
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
  });

  const { open } = ui;

  /** Fills in the form of the traceroute, runs it, and takes its command at the agent. */
  async function startTrace(page: Page, target: string): Promise<StandInCommand> {
    await page.getByLabel('Target').fill(target);
    await page.getByRole('button', { name: 'Run' }).click();
    return takeCommand(agent);
  }

  const run = (page: Page, name: string) => page.getByRole('article', { name });

  test('every tool has a form in which every field has a label and a description', async () => {
    const { page } = await open('/sites/home/tools');
    for (const tool of TOOLS) {
      await page.getByRole('list', { name: 'Choose a tool' }).getByRole('link', { name: tool }).click();
      await page.getByRole('heading', { name: tool, level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Run' }).waitFor();
      const labels = await page.locator('form label').allTextContents();
      expect(labels.filter((label) => /[a-z][A-Z]/.test(label))).toEqual([]);
      await page.goBack();
    }
  });

  test('what is wrong is said beside the field before anything is sent, in the words of the API', async () => {
    const { page } = await open('/sites/home/tools/nmap');
    const jobs = await ui.lanreach.jobCount();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('expected an IP address, or a range in CIDR notation').waitFor();
    const target = page.getByLabel('Target');
    expect(await target.getAttribute('aria-invalid')).toBe('true');
    expect(await target.evaluate('document.activeElement.name')).toBe('scan');
    await target.fill('10.0.0.0/33');
    await page.keyboard.press('Enter');
    await page.getByText('expected an IP address, or a range in CIDR notation').waitFor();

    await page.getByRole('link', { name: 'wakeonlan' }).click();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('expected exactly one of “MAC address”, “Name of the device”, “IP address”').waitFor();
    expect(sent).toEqual([]);
    expect(await ui.lanreach.jobCount()).toBe(jobs);
  });

  test('a scan: run from the keyboard, its result as a table, its output, and repeated with two presses', async () => {
    const { page } = await open('/sites/home/tools/nmap');
    await page.getByLabel('Target').fill(' 127.0.0.1 ');
    await page.getByLabel('Mode').selectOption('fast');
    await page.getByLabel('Target').press('Enter');
    const first = run(page, 'nmap 127.0.0.1 · fast');
    await first.getByText('succeeded').waitFor();
    await first.getByRole('log', { name: 'Output' }).getByText('Nmap scan report for 127.0.0.1').waitFor();
    await first.getByRole('cell', { name: '127.0.0.1', exact: true }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      first.getByRole('button', { name: 'Download the result as JSON' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^nmap-home-[0-9a-f-]+\.json$/);

    const repeat = page.getByRole('button', { name: 'Repeat nmap 127.0.0.1 · fast' }).first();
    await repeat.focus();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.getByRole('button', { name: 'Run' }).evaluate('document.activeElement.type'))
      .toBe('submit');
    expect(await page.getByLabel('Target').inputValue()).toBe('127.0.0.1');
    expect(await page.getByLabel('Mode').inputValue()).toBe('fast');
    await page.keyboard.press('Enter');
    await expect.poll(() => run(page, 'nmap 127.0.0.1 · fast').count()).toBe(2);
    await expect.poll(() => page.getByRole('article').getByText('succeeded').count()).toBe(2);
  });

  test('two commands at once, each with its output and progress; one is stopped', async () => {
    const { page } = await open(`/sites/${site}/tools/traceroute`);
    const one = await startTrace(page, '10.0.0.1');
    await one.isWatched(1);
    await one.progress('sending probes', 40);
    await one.print(' 1  first hop\n');
    const first = run(page, 'traceroute 10.0.0.1');
    await first.getByText('sending probes').waitFor();
    await first.getByText('40 %').waitFor();
    expect(await first.getByRole('progressbar').getAttribute('value')).toBe('40');
    await first.getByText('first hop').waitFor();
    // The history below says the same, although the list of jobs lags behind.
    const past = page.getByRole('row', { name: '10.0.0.1' });
    await past.getByText('running', { exact: true }).waitFor();
    expect(await past.getByText('sent to the agent').count()).toBe(0);

    const two = await startTrace(page, '10.0.0.2');
    await two.isWatched(1);
    await two.print(' 1  another hop\n');
    await run(page, 'traceroute 10.0.0.2').getByText('another hop').waitFor();
    expect(await violations(page)).toEqual([]);

    await run(page, 'traceroute 10.0.0.2').getByRole('button', { name: 'Stop it' }).click();
    await run(page, 'traceroute 10.0.0.2').getByRole('button', { name: 'Stopping' }).waitFor();
    await agent.control('cancel', two.id);
    await two.end({ state: 'cancelled', reason: 'cancelled' });
    await run(page, 'traceroute 10.0.0.2').getByText('stopped').waitFor();
    await run(page, 'traceroute 10.0.0.2').getByText('another hop').waitFor();
    await first.getByText('running', { exact: true }).waitFor();
    await one.end();
    await first.getByText('succeeded').waitFor();
    expect(await first.getByRole('log').textContent()).toBe(' 1  first hop\n');
  });

  test('a stream that breaks goes on where it was: nothing is lost, nothing comes twice', async () => {
    await using proxy = await startCuttingProxy(ui.lanreach.system.url);
    const { page } = await open(`/sites/${site}/tools/traceroute`, { url: proxy.url });
    const resumedAt: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/events')) resumedAt.push(request.headers()['last-event-id']);
    });
    const command = await startTrace(page, '10.0.0.3');
    await command.isWatched(1);
    await command.print('one\n');
    const shown = run(page, 'traceroute 10.0.0.3');
    await shown.getByText('one').waitFor();
    proxy.cut();
    await shown.getByText('The connection broke off').waitFor();
    await command.print('two\n');
    proxy.mend();
    await command.isWatched(2);
    await shown.getByText('two').waitFor();
    await command.print('three\n');
    await shown.getByText('three').waitFor();
    expect(await shown.getByRole('log').textContent()).toBe('one\ntwo\nthree\n');
    expect(await shown.getByText('The connection broke off').count()).toBe(0);

    proxy.cut();
    await shown.getByText('The connection broke off').waitFor();
    await command.end({ output: 'one\ntwo\nthree\nfour\n' });
    proxy.mend();
    await shown.getByText('succeeded').waitFor();
    expect(await shown.getByRole('log').textContent()).toBe('one\ntwo\nthree\nfour\n');
    expect(resumedAt[0]).toBe('0');
    expect(resumedAt).toContain('4');
  });

  test('a command that ends while the tab sleeps is shown as ended when somebody looks again', async () => {
    const { page, context } = await open(`/sites/${site}/tools/traceroute`);
    const command = await startTrace(page, '10.0.0.4');
    await command.isWatched(1);
    await command.print('before\n');
    const shown = run(page, 'traceroute 10.0.0.4');
    await shown.getByText('before').waitFor();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    await command.print('meanwhile\n');
    await command.end();
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    await shown.getByText('succeeded').waitFor();
    expect(await shown.getByRole('log').textContent()).toBe('before\nmeanwhile\n');
  });

  test('hostile output is text: no markup, no sequences of terminals, and most of a megabyte leaves the page usable', async () => {
    const { page } = await open(`/sites/${site}/tools/traceroute`);
    const command = await startTrace(page, '10.0.0.5');
    await command.isWatched(1);
    await command.progress('<b>phase</b>\u202e', null);
    await command.print('<img src=x onerror="document.title=1">\u001b[2J\u001b[31mred\u001b[0m\u0007 \u202eabc\n');
    const shown = run(page, 'traceroute 10.0.0.5');
    await shown.getByText('<b>phase</b>').waitFor();
    const log = shown.getByRole('log');
    await log.getByText('red').waitFor();
    expect(await log.evaluate('document.querySelectorAll("article img, article b").length')).toBe(0);
    expect(await log.textContent()).toBe('<img src=x onerror="document.title=1">red \u202eabc\n');
    for (let i = 0; i < 9; i++) await command.print('x'.repeat(90_000));
    await command.print('\nthe end of it\n');
    await log.getByText('the end of it').waitFor();
    await shown.getByText('characters are not shown here').waitFor();
    await command.end({
      output: 'too long',
      truncated: true,
      message: '<i>late</i>',
      state: 'failed',
      reason: 'tool_failed',
    });
    await shown.getByText('<i>late</i>').waitFor();
    await shown.getByText('The end is missing').waitFor();
    await log.getByText('the end of it').waitFor(); // What was seen is more than the job has kept.
  });

  test('an agent that is gone: the refusal of the API stands below the form', async () => {
    const empty = await ui.lanreach.addSite();
    const { page } = await open(`/sites/${empty}/tools/interfaces`);
    await page.getByText('No agent of this site is connected').waitFor();
    await page.getByText('It has not been run on this site yet').waitFor();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').getByText(`No agent of site "${empty}" is connected`).waitFor();
  });

  test('jobs: live, filtered, by whom, and one of them with its link', async () => {
    const other = await ui.lanreach.createToken({ name: 'a colleague', sites: [site] });
    const headers = { prefer: 'respond-async' };
    const body = { devLastIP: '10.0.0.9' };
    const started = ui.lanreach.request('POST', '/nettools/traceroute', { site, body, headers, token: other });
    const command = await takeCommand(agent);
    await started;
    const { page } = await open(`/sites/${site}/runs`);
    const row = page.getByRole('row', { name: '10.0.0.9' });
    await row.getByText('a colleague').waitFor();
    await page.getByLabel('Who').selectOption('only you');
    await row.waitFor({ state: 'detached' });
    await page.getByLabel('Who').selectOption('everybody');
    await page.getByLabel('Tool').selectOption('nmap');
    await page.getByText('No job matches').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByLabel('State').selectOption('stopped');
    await page.reload();
    expect(await page.getByLabel('State').inputValue()).toBe('cancelled');
    await page.getByLabel('State').selectOption('every state');

    await row.getByRole('link', { name: '10.0.0.9', exact: false }).first().click();
    await page.getByRole('heading', { name: 'traceroute 10.0.0.9', level: 1 }).waitFor();
    await command.isWatched(1);
    await command.print('seen live\n');
    await page.getByRole('log').getByText('seen live').waitFor();
    // A link to the job behind another site leads to the job.
    await page.goto(`${ui.lanreach.system.url}/console/#/sites/home/runs/${command.id}`);
    await expect.poll(() => page.url()).toContain(`#/sites/${site}/runs/${command.id}`);
    await command.isWatched(2);
    await command.end();
    await page.getByText('succeeded').waitFor();
    expect(await page.getByRole('log').textContent()).toBe('seen live\n');
    await page.getByRole('link', { name: 'Repeat' }).click();
    await expect.poll(() => page.getByLabel('Target').inputValue()).toBe('10.0.0.9');

    await page.goto(
      `${ui.lanreach.system.url}/console/#/sites/${site}/runs/${site}.01934c1e-5f00-7a11-8a22-0123456789ab`,
    );
    await page.getByRole('alert').getByText('does not exist').waitFor();
  });

  test.each(WIDTHS)('axe finds nothing in either theme, and nothing is wider than the page: %i px', async (width) => {
    const { page } = await open('/sites/home/tools', { width });
    const looksRight = async () => expect(await faultsInBothThemes(page)).toEqual([]);
    await page.getByRole('link', { name: 'wakeonlan' }).waitFor();
    await looksRight();
    await page.getByRole('link', { name: 'wakeonlan' }).click();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('expected exactly one of').waitFor();
    await looksRight();
    await page.getByRole('link', { name: 'interfaces' }).click();
    await page.getByRole('button', { name: 'Run' }).click();
    await run(page, 'interfaces').getByRole('cell', { name: 'lo', exact: true }).waitFor();
    await looksRight();
    await page.goto(`${ui.lanreach.system.url}/console/#/sites/home/runs`);
    const job = page.getByRole('link', { name: /^interfaces/ }).first();
    await job.waitFor();
    await looksRight();
    await job.click();
    await page.getByRole('cell', { name: 'lo', exact: true }).waitFor();
    await looksRight();
  });
});
