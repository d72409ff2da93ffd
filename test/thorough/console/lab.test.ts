/** A person brings the LAN of the lab in, with the console and a shell on a host: all programs are the real ones. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserSupport, type ConsoleBrowser, startBrowser } from '../../console/browser.ts';
import { expectNoFaults, goTo } from '../../console/every-screen.ts';
import { API_PORT, CLOUD, program, startCloud } from '../../lab/cloud-side.ts';
import { type Lab, labSupport, startLab } from '../../lab/lab.ts';
import { AGENT, HOSTS, ROUTER } from '../../lab/plan.ts';
import { linesOf, TOKEN } from '../../lab/system-inside.ts';

const unsupported = labSupport() ?? browserSupport();
if (unsupported !== null) console.warn(`The console is not tested in the lab: ${unsupported}`);

const EVERYBODY = [AGENT, ROUTER, ...Object.values(HOSTS)].map(({ mac }) => mac);
/** Some cycles of discovery, or the longest pause of an agent before it connects again. */
const PATIENCE_MS = 180_000;

describe.skipIf(unsupported !== null)('the console, a cloud and a LAN', { timeout: 600_000 }, () => {
  let lab: Lab;
  let browser: ConsoleBrowser;
  /** Where this machine reaches the API. */
  let url: string;

  beforeAll(async () => {
    [lab, browser] = await Promise.all([startLab(), startBrowser()]);
    url = await startCloud(lab, { LANREACH_RELEASES: '/nonexistent' });
  });
  afterAll(async () => {
    await browser?.close();
    await lab?.close();
  });

  /** Runs the agent's program on its host, as a person does who types it into a shell there. */
  const onHost = (words: readonly string[]) =>
    lab.run([process.execPath, program('agent.js'), ...words], {
      env: { LANREACH_AGENT_DATA: join(lab.folder, 'agent') },
    });

  test('a site is added, its line run on a host; its agent and its devices come; the agent dies, and the site is stale', async () => {
    const { page, openTab, offences } = await browser.open({ url, token: TOKEN });
    page.setDefaultTimeout(PATIENCE_MS);
    await page.getByRole('main').getByRole('link', { name: 'Add a site' }).click();
    await page.getByLabel('Name').fill('The flat');
    await page.getByRole('button', { name: 'Add and show command' }).click();
    await page.getByLabel('API address').fill(`http://${CLOUD}:${API_PORT}`);
    const line = page.getByRole('figure', { name: 'Command for the host' });
    const [name, ...words] = ((await line.getByRole('code').textContent()) ?? '').split(' ');
    expect([name, ...words]).toEqual(['lanreach-agent', 'enrol', expect.any(String), '--url', `http://${CLOUD}:8787`]);
    await page.getByText('Waiting for the command to run').waitFor();

    const enrolment = await onHost(words);
    const said = linesOf(enrolment);
    expect([(await enrolment.exited).code, said]).toEqual([0, said]);
    await page.getByText('Host enrolled').waitFor();
    const agent = await onHost([]);
    linesOf(agent);
    await page.getByText('Agent online').waitFor();
    await page.getByText('Monitoring 10.77.1.0/24').waitFor();
    await page.getByText(`${EVERYBODY.length} devices found`).waitFor();
    const devices = page.getByRole('region', { name: 'Newest devices' });
    for (const mac of EVERYBODY) await devices.getByText(mac).waitFor();
    await expect.poll(() => devices.getByText(/^(nas|printer|desktop)\b/).count(), { timeout: PATIENCE_MS }).toBe(3);

    await page.getByRole('link', { name: 'Site settings' }).click();
    await page.getByRole('region', { name: 'Agents' }).getByText('online since').waitFor();
    await page.getByText('No agent connected since').waitFor({ state: 'detached' });
    const sites = await openTab({ url, token: TOKEN });
    sites.setDefaultTimeout(PATIENCE_MS);
    const count = new RegExp(`/ ${EVERYBODY.length} online.*The flat`);
    await sites.getByRole('link', { name: count }).waitFor();

    // What a person sees of a real LAN, on a small screen of a desk.
    await sites.setViewportSize({ width: 1280, height: 800 });
    for (const at of ['', '/devices', '/map', `/devices/${HOSTS.nas.mac}`, '/events']) {
      await goTo(sites, `/sites/the-flat${at}`);
      await sites.waitForLoadState('networkidle');
      await expectNoFaults(sites, `lab${at.replaceAll(/[^a-z]+/gi, '-')}`, 'light');
    }
    await goTo(sites, '/');

    await agent.kill('SIGKILL'); // As by a power cut of its host: it says nothing any more.
    await agent.exited;
    await page.getByText('statuses may be outdated').waitFor();
    await sites.getByText('No agent connected since').waitFor();
    await page.getByRole('region', { name: 'Agents' }).getByText('offline since').waitFor();

    linesOf(await onHost([]));
    await page.getByText('statuses may be outdated').waitFor({ state: 'detached' });
    await sites.getByText('No agent connected since').waitFor({ state: 'detached' });
    expect(offences).toEqual([]);
  });
});
