/** Builds the Context for Lambda with only those clients that the role of the function may use. */

import { openWaitingPlaces } from '../../store/commands/waiting-store.ts';
import { devicesKeptIn } from '../../store/devices/device-store.ts';
import { openStores, type Stores } from '../../store/stores.ts';
import type { AgentRegistry } from '../access/agent-registry.ts';
import { openTokenWatch } from '../access/token-watch.ts';
import type { AgentDispatcher } from '../commands/agent-dispatcher.ts';
import type { Config, SetupConfig } from '../context/config.ts';
import type { Context } from '../context/context.ts';
import { consoleLog } from '../status/log.ts';
import { lambdaSettings } from './lambda-settings.ts';
import { lambdaTable } from './lambda-table.ts';

/** Passed in, so that a function's bundle contains only the clients that it uses. */
export interface Dependencies {
  agents?: (stores: Stores) => AgentDispatcher;
  registry?: AgentRegistry;
}

/** The stores alone, for a function that answers no requests. */
export function storesInLambda(config: SetupConfig & Partial<Pick<Config, 'memoryMb'>>, now: () => Date): Stores {
  const { memoryMb } = config;
  return openStores(lambdaTable(config), now, memoryMb === undefined ? undefined : devicesKeptIn(memoryMb));
}

export function contextInLambda(config: Config, dependencies: Dependencies = {}): Context {
  const now = () => new Date();
  const stores = storesInLambda(config, now);
  return {
    ...stores,
    tokenWatch: openTokenWatch(stores.tokens, consoleLog),
    agents: dependencies.agents?.(stores) ?? NO_AGENTS,
    waitingPlaces: openWaitingPlaces(stores.table, config.waitingCalls, now, consoleLog),
    registry: dependencies.registry ?? NO_REGISTRY,
    log: consoleLog,
    now,
    settings: lambdaSettings(config),
  };
}

const missing = (dependency: string) => async () => {
  throw new Error(`this function has no ${dependency}`);
};

const NO_AGENTS: AgentDispatcher = {
  start: missing('connection to the broker'),
  follow() {
    throw new Error('this function has no connection to the broker');
  },
  confirmStored: missing('connection to the broker'),
  control: missing('connection to the broker'),
  ping: missing('connection to the broker'),
  close: async () => {},
};

const NO_REGISTRY: AgentRegistry = {
  enrol: missing('registry of agents'),
  isActive: missing('registry of agents'),
  retire: missing('registry of agents'),
  revoke: missing('registry of agents'),
  revokeAll: missing('registry of agents'),
  publish: missing('registry of agents'),
};
