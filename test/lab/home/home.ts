/** The LAN of `plan.ts`, with a process on each of its hosts. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundleProgram } from '../../support/bundle-program.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type Lab, startLab } from '../lab.ts';
import type { HostEvent } from './host.ts';
import { EVERYBODY } from './plan.ts';

export interface Home {
  lab: Lab;
  /** Where the bundles of the programs of hosts are. */
  folder: string;
  /** Turns a host on; resolves when it has an address and answers, with the time of its first packet. */
  powerOn(name: string): Promise<number>;
  /** How often somebody has asked for the metadata of a cloud. */
  metadataAsked(): number;
  close(): Promise<void>;
}

export async function startHome(): Promise<Home> {
  const lab = await startLab(join(import.meta.dirname, 'holder.ts'));
  try {
    // net-snmp does not work as an ES module, so it is not bundled, and is found here.
    await symlink(join(import.meta.dirname, '..', '..', '..', 'node_modules'), join(lab.folder, 'node_modules'));
    const program = await bundleProgram(join(import.meta.dirname, 'host.ts'), lab.folder, ['net-snmp']);
    const events = new Map<string, HostEvent[]>();
    const inputs = new Map<string, NodeJS.WritableStream>();
    const start = async (name: string) => {
      const told: HostEvent[] = [];
      events.set(name, told);
      const child = await lab.run([process.execPath, program, name, join(lab.folder, name)], {
        host: name,
        env: { ...(process.env.PATH === undefined ? {} : { PATH: process.env.PATH }) },
      });
      inputs.set(name, child.stdin);
      createInterface({ input: child.stdout }).on('line', (line) => told.push(JSON.parse(line)));
      createInterface({ input: child.stderr }).on('line', (line) => console.error(`${name}: ${line}`));
      await waitFor(`${name} to start`, () => told.some(({ event }) => event === 'off'), 60_000);
    };
    // A few at a time: starting all at once takes no less, and looks like a machine that stands still.
    const waiting = EVERYBODY.map(({ name }) => name);
    const worker = async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await start(name);
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
    return {
      lab,
      folder: lab.folder,
      powerOn: async (name) => {
        const told = events.get(name) ?? [];
        const since = Date.now();
        inputs.get(name)?.write('on\n');
        await waitFor(`${name} to be on`, () => told.some(({ event }) => event === 'answering'), 60_000);
        return told.find((each) => each.event === 'on')?.at ?? since;
      },
      metadataAsked: () => [...events.values()].flat().filter(({ event }) => event === 'metadata').length,
      close: lab.close,
    };
  } catch (error) {
    await lab.close();
    throw error;
  }
}
