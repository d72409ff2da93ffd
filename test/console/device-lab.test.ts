/** The screen of one device, on a LAN: a host that sleeps is woken, and a scan that takes long is watched and stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Lab, labSupport, startLab } from '../lab/lab.ts';
import { bare, HOSTS } from '../lab/plan.ts';
import { type Inside, startInside } from '../lab/system-inside.ts';
import { waitFor } from '../support/wait-for.ts';
import { violations } from './accessibility.ts';
import { browserSupport, type ConsoleBrowser, startBrowser } from './browser.ts';

const unsupported = labSupport() ?? browserSupport();
if (unsupported !== null) console.warn(`The screen of one device is not tested in the lab: ${unsupported}`);

/** A host that sleeps: it hears magic packets, and the switch passes on nothing that comes from it. */
const SLEEPS = `nft 'add table netdev sleep;
  add chain netdev sleep from { type filter hook ingress device sleeper priority 0; policy drop; }'`;
const AWAKES = `nft 'add table netdev sleep; delete table netdev sleep'`;
const LONG = { timeout: 400_000 };

describe.skipIf(unsupported !== null)('one device of a LAN', () => {
  let lab: Lab;
  let lanreach: Inside;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    [lab, browser] = await Promise.all([startLab(), startBrowser()]);
    lanreach = await startInside(lab, 'console', 8787, { DISCOVER: 'auto' });
    for (const { mac } of [HOSTS.sleeper, HOSTS.nas]) {
      await waitFor(
        `the discovery of ${mac}`,
        async () => (await lanreach.request('GET', `/devices/${mac}`)).ok,
        LONG.timeout,
      );
    }
  });
  afterAll(async () => {
    await browser?.close();
    await lab?.close();
  });

  const open = async (mac: string) => {
    const { url, token } = lanreach;
    return browser.open({ url, token, at: `/sites/home/devices/${encodeURIComponent(mac)}` });
  };

  test('a host that sleeps is woken, and its answer is the proof', async () => {
    const { mac, ipv4 } = HOSTS.sleeper;
    const { page, offences } = await open(mac);
    await page.getByRole('region', { name: 'Who sees it' }).getByText('sees it', { exact: true }).waitFor();
    const heard = () => lab.magicPackets().filter((packet) => packet.mac === mac).length;
    await lab.on('switch', SLEEPS);
    try {
      await page.getByRole('button', { name: 'Wake' }).click();
      const wake = page.getByRole('region', { name: 'Wake' });
      await wake.getByRole('log').getByText(`Sent magic packet to ${mac}`).first().waitFor();
      await waitFor('a magic packet', () => heard() > 0, 60_000);
      await wake.getByRole('log').getByText('Watching').waitFor();
      await sleep(2_000); // A host that wakes up needs a while.
      await lab.on('switch', AWAKES);
      await wake.getByText(`It is awake: ${bare(ipv4)} answered`).waitFor();
      await wake.getByText('succeeded').waitFor();
    } finally {
      await lab.on('switch', AWAKES);
    }
    // Who is awake is told as that.
    await page.getByRole('button', { name: 'Wake' }).click();
    await page.getByText(`It was awake already: ${bare(ipv4)} answered before the first packet was sent.`).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(offences).toEqual([]);
  });

  test('a long scan is watched and stopped; a short one brings the ports', async () => {
    const { mac, tcp } = HOSTS.nas;
    const { page, offences } = await open(mac);
    await page.getByLabel('Mode of the scan').selectOption('detail');
    await page.getByRole('button', { name: 'Scan ports' }).click();
    const scan = page.getByRole('region', { name: 'Scan ports' });
    await scan.getByText('running').waitFor();
    await scan.getByRole('progressbar').waitFor();
    await scan.getByRole('button', { name: 'Stop it' }).click();
    await scan.getByText('stopped', { exact: true }).waitFor();
    const ports = page.getByRole('region', { name: 'Open ports' });
    await ports.getByText('Nobody has scanned its ports yet.').waitFor();

    await ports.getByRole('button', { name: 'Scan now' }).click();
    for (const port of tcp) await ports.getByText(`${port}/tcp`).waitFor(LONG);
    await scan.getByText('succeeded').waitFor();
    await ports.getByText('Last scanned').waitFor();

    await page.getByRole('button', { name: 'Look up its name' }).click();
    await page.getByRole('region', { name: 'Look up its name' }).getByText('nas.lab.test').waitFor();
    expect(offences).toEqual([]);
  });
});
