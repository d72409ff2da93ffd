/** Tools for assistants. */
import { mcpRoutes } from '../assistants/endpoint.ts';
import type { Group } from './group.ts';
import { AUTHENTICATION, BATCHES, KEYS, OBSERVATION } from './rights.ts';

export const mcpGroup = {
  name: 'mcp',
  description: 'Tools for assistants (Model Context Protocol)',
  memoryMb: 1024, // Caches whole collections, as the function of the devices does.
  timeLimitS: 300, // An assistant waits for a command for 280 seconds at most, and is then told how to ask for its result.
  rights: {
    table: [
      ...AUTHENTICATION,
      // Devices are read and renamed; no tool writes many of them, or deletes one.
      { actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem'], keys: [KEYS.site] },
      { actions: ['GetItem', 'Query', 'BatchGetItem'], keys: [KEYS.siteList] },
      { actions: ['GetItem', 'PutItem', 'UpdateItem', 'BatchGetItem'], keys: [KEYS.jobs] },
      { actions: ['GetItem', 'BatchGetItem'], keys: [KEYS.results] },
      ...BATCHES,
      // Schedules, checks and scans, and what was measured.
      { actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'], keys: [KEYS.monitoring] },
      ...OBSERVATION,
      { actions: ['ConditionCheckItem'], keys: [KEYS.siteList] },
      { actions: ['GetItem', 'Query'], keys: [KEYS.series] },
      { actions: ['PutItem'], keys: [KEYS.audit] },
    ],
    hooks: true,
    messages: {
      over: 'connection',
      request: 'Which agent gets a command is chosen for each request.',
      control: 'Commands of every agent can be cancelled.',
    },
    batches: true,
  },
  routes: { mcp: mcpRoutes() },
} as const satisfies Group;
