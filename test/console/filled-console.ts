/** The console with a home, an office and a workshop, and an agent that takes every command. */
import { readConfig } from '../../local/config.ts';
import { PROVIDER } from '../demo/fleet.ts';
import { type FilledIds, fillSystem, type Row } from '../demo/home-and-office.ts';
import { startObedientAgent } from '../support/enrolled-agent.ts';
import { type ConsoleApi, startConsoleApi } from './describe-console.ts';

export interface RealisticSystem {
  lanreach: ConsoleApi;
  /** Ids of what a screen can show one of. */
  ids: FilledIds & { batch: string };
}

/** What foreign devices call themselves. */
const STRANGE: readonly Row[] = [
  { name: 'Küchen-iPad', type: 'Tablet', vendor: 'Apple', status: 'new' },
  { name: `a name that is much too long ${'and goes on '.repeat(20)}`, type: '', vendor: '', status: 'new' },
  { name: '\u202Etxt.exe', type: '', vendor: '', status: 'new' },
];

export async function startRealisticSystem(): Promise<RealisticSystem> {
  const { signIn } = readConfig(PROVIDER);
  const addresses = () => ['http://192.0.2.7:8787'];
  const api = await startConsoleApi({ addresses, ...(signIn === null ? {} : { signIn }) });
  // What it says of itself does not count: see `watch`. It is there to run commands.
  const agent = await startObedientAgent(api, 'home', 'main');
  const lanreach: ConsoleApi = {
    ...api,
    async close() {
      await agent[Symbol.asyncDispose]();
      await api.close();
    },
  };
  const ids = await fillSystem(lanreach, STRANGE, 1);
  await lanreach.request('GET', '/nettools/interfaces', { site: 'home' });
  // Not at the office: no agent answers there, and what still runs is no picture of one that has ended.
  const body = { tool: 'interfaces', sites: ['home', 'workshop', 'holiday-flat'] };
  const { json } = await lanreach.request('POST', '/batches', { body });
  return { lanreach, ids: { ...ids, batch: (json as { id: string }).id } };
}
