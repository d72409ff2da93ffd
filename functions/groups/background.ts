/** The functions of the cloud that serve no requests. On one machine, `local/` does their work. */
import { ATTRIBUTES } from '../table/rows.ts';
import type { CloudFunction } from './group.ts';
import { KEYS, OBSERVATION } from './rights.ts';

const PRESENCE = [...ATTRIBUTES.presence, ...ATTRIBUTES.connections];
/** Removed with a site. */
const OF_A_SITE = [KEYS.jobs, KEYS.results, KEYS.runs, KEYS.hooks, KEYS.monitoring, KEYS.series];

export const background = {
  ingest: {
    name: 'ingest',
    description: 'Stores the reports of agents',
    memoryMb: 512,
    // For ten messages, of which one may be the first about a large site. A failed one is retried after six times as long.
    timeLimitS: 20,
    isQuiet: true,
    hasReserve: true,
    rights: {
      table: [
        { actions: ['GetItem', 'BatchGetItem'], keys: [KEYS.jobs] },
        // The result of a job, not its owner or command.
        { actions: ['UpdateItem'], keys: [KEYS.jobs], attributes: ATTRIBUTES.outcome },
        // A run of an agent's plan becomes a job with its result, while its site exists.
        { actions: ['PutItem'], keys: [KEYS.jobs], attributes: ATTRIBUTES.plannedJob },
        { actions: ['ConditionCheckItem'], keys: [KEYS.siteList] },
        { actions: ['UpdateItem'], keys: [KEYS.monitoring], attributes: ATTRIBUTES.lastTurn },
        { actions: ['PutItem'], keys: [KEYS.results], attributes: ATTRIBUTES.result },
        { actions: ['DeleteItem'], keys: [KEYS.results] }, // Of a job that was removed meanwhile.
        // The presence of an agent, as reported by itself and by the broker, and the retirement of a former certificate; not
        // the agent's certificates.
        {
          actions: ['UpdateItem'],
          keys: [KEYS.site],
          attributes: [...PRESENCE, ...ATTRIBUTES.agentDetails, ...ATTRIBUTES.agentLimit, ...ATTRIBUTES.plan],
        },
        { actions: ['UpdateItem'], keys: [KEYS.site], attributes: ATTRIBUTES.retirement },
        // Sightings of agents become changes of the collection.
        { actions: ['GetItem', 'Query'], keys: [KEYS.site] },
        ...OBSERVATION,
        // What port scans find.
        { actions: ['PutItem'], keys: [KEYS.site], attributes: ATTRIBUTES.ports },
        // The state of a site, changed with the journal's entry.
        { actions: ['GetItem', 'Query', 'PutItem'], keys: [KEYS.monitoring] },
        // Measurements.
        { actions: ['GetItem', 'Query', 'PutItem'], keys: [KEYS.series] },
        // The settings for an agent, and the other sites that lost their connection at the same time.
        { actions: ['GetItem', 'Query'], keys: [KEYS.siteList] },
        { actions: ['UpdateItem'], keys: [KEYS.site, KEYS.siteList], attributes: ATTRIBUTES.staleness },
      ],
      messages: { over: 'connection', control: 'Every agent gets confirmations of its results, and its settings.' },
      certificates: 'retire',
      releases: true, // For the roll-out.
      tasks: true,
    },
  },
  worker: {
    name: 'worker',
    description: 'Delivers hooks, advances batches and scans, and does the hourly maintenance',
    memoryMb: 512,
    // The tasks of hooks and runs take a minute at most, and the upkeep continues in the next hour. A failed task is retried
    // only after this limit.
    timeLimitS: 180,
    isQuiet: true,
    callsItself: true,
    rights: {
      table: [
        // The progress of a batch or a scan, not its command or targets.
        { actions: ['GetItem'], keys: [KEYS.batches, KEYS.runs] },
        { actions: ['UpdateItem'], keys: [KEYS.batches, KEYS.runs], attributes: ATTRIBUTES.runProgress },
        // The owner of the command, and the owner's current rights.
        { actions: ['GetItem'], keys: [KEYS.tokens, KEYS.people, KEYS.results] },
        { actions: ['BatchGetItem', 'PutItem'], keys: [KEYS.jobs] },
        // The removal of a site.
        { actions: ['GetItem', 'Query'], keys: [KEYS.siteList, KEYS.site] },
        { actions: ['Query'], keys: [KEYS.tokenList, ...OF_A_SITE] },
        { actions: ['GetItem'], keys: [KEYS.jobs] },
        { actions: ['BatchGetItem'], keys: [KEYS.tokens, KEYS.results] },
        // Tokens lose the site, or are removed.
        { actions: ['PutItem'], keys: [KEYS.tokens] },
        { actions: ['DeleteItem'], keys: [KEYS.tokens, KEYS.tokenList] },
        // People lose their roles at it.
        { actions: ['Query', 'PutItem'], keys: [KEYS.people] },
        { actions: ['UpdateItem'], keys: [KEYS.jobs], attributes: [...ATTRIBUTES.end, 'startedAt'] },
        { actions: ['UpdateItem'], keys: [KEYS.site], attributes: ATTRIBUTES.collection },
        { actions: ['UpdateItem'], keys: [KEYS.site], attributes: [...ATTRIBUTES.certificates, ...ATTRIBUTES.plan] },
        // Lost agents without an event of the broker; objects of templates that a request has not finished.
        { actions: ['GetItem', 'PutItem', 'UpdateItem'], keys: [KEYS.monitoring, KEYS.hooks] },
        { actions: ['UpdateItem'], keys: [KEYS.siteList], attributes: ATTRIBUTES.site },
        { actions: ['PutItem'], keys: [KEYS.audit] },
        { actions: ['UpdateItem'], keys: [KEYS.setup], attributes: ATTRIBUTES.upkeepCursor },
        ...OBSERVATION,
        { actions: ['DeleteItem', 'ConditionCheckItem'], keys: [KEYS.site, KEYS.siteList, ...OF_A_SITE] },
        // Series of past periods are rolled up.
        { actions: ['GetItem', 'PutItem'], keys: [KEYS.series] },
      ],
      messages: {
        over: 'connection',
        request: 'Which agents get the command of a batch or a scan is chosen part by part.',
        control: 'Commands of every agent can be cancelled, and agents get their plan when an address in it changes.',
      },
      certificates: 'revoke',
      releases: true,
      mailSecret: true,
      tasks: true,
    },
  },
} as const satisfies Record<string, CloudFunction>;
