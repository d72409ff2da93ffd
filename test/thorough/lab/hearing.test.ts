/** Hosts that power on are told by their first packet, without a look: tcpdump for real, with the rights of the service. */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import type { HeardHost } from '../../lab/hearing.ts';
import { labSupport } from '../../lab/lab.ts';
import { bundleProgram } from '../../support/bundle-program.ts';
import { makeTestFolder } from '../../support/test-folder.ts';

/** tcpdump, when it is started by root, becomes another user, whom a user namespace does not have. */
const AS_SERVICE = ['--user', '--map-user=1000', '--map-group=1000', '--keep-caps', '--net', '--mount', '--pid'];
const unshare = (...argv: string[]) => [...AS_SERVICE, '--fork', '--kill-child', '--mount-proc', ...argv];

function obstacle(): string | null {
  if (process.env.CI === 'true') return null;
  return (
    labSupport() ?? (spawnSync('unshare', unshare('true')).status === 0 ? null : 'user namespaces are not allowed')
  );
}
const unsupported = obstacle();
if (unsupported !== null) console.warn(`Hearing is not tested in the lab: ${unsupported}`);

describe.skipIf(unsupported !== null)('what is heard in the lab', () => {
  test('who powers on is told by ARP and DHCP, with what DHCP says of it', async () => {
    await using folder = makeTestFolder();
    const program = await bundleProgram(join(import.meta.dirname, '..', '..', 'lab', 'hearing.ts'), folder.path);
    const lab = spawn('unshare', unshare(process.execPath, program, folder.path), {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let complaints = '';
    lab.stderr.on('data', (text: Buffer) => {
      complaints += text.toString();
    });
    const told: HeardHost[] = [];
    for await (const line of createInterface({ input: lab.stdout })) told.push(JSON.parse(line));
    expect(complaints).toBe('');
    for (const by of ['arp', 'dhcp'] as const) {
      const times = told.filter((host) => host.by === by).map(({ toldAfterMs }) => Math.round(toldAfterMs));
      times.sort((a, b) => a - b);
      console.log(`Told after the first packet, by ${by}: ${times.join(', ')} ms`);
      expect(times).toHaveLength(10);
    }
    for (const { by, sighting } of told) {
      const said = new Map(sighting.observations?.map(({ source, value }) => [source, value]));
      expect([sighting.online, said.get('dhcp-class'), said.get('dhcp-options')]).toEqual(
        by === 'arp' ? [true, undefined, undefined] : [true, 'android-dhcp-14', '1,3,6,15,26,28,51,58,59,43'],
      );
      if (by === 'dhcp') expect(said.get('dhcp-name')).toMatch(/^host-\d+$/);
    }
  });
});
