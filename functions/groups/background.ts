/** The functions of the cloud that answer no requests. On one machine, `local/` calls what they call. */
import { ATTRIBUTES } from '../table/rows.ts';
import type { CloudFunction } from './group.ts';
import { KEYS, OBSERVATION } from './rights.ts';

/** What belongs to a site, and is removed with it. */
const OF_A_SITE = [KEYS.jobs, KEYS.results, KEYS.runs, KEYS.hooks, KEYS.monitoring, KEYS.series];

export const background = {
  ingest: {
    name: 'ingest',
    description: 'Stores what agents say',
    memoryMb: 512,
    // Ten messages, of which one may be the first about a large site. What fails is tried again after six times as long.
    timeLimitS: 20,
    isQuiet: true,
    hasReserve: true,
    rights: {
      table: [
        { actions: ['GetItem', 'BatchGetItem'], keys: [KEYS.jobs] },
        // The result of a job; not its owner or its command.
        { actions: ['UpdateItem'], keys: [KEYS.jobs], attributes: ATTRIBUTES.outcome },
        // What an agent has run by its plan becomes a job with its result, as long as its site is there.
        { actions: ['PutItem'], keys: [KEYS.jobs], attributes: ATTRIBUTES.plannedJob },
        { actions: ['ConditionCheckItem'], keys: [KEYS.siteList] },
        { actions: ['UpdateItem'], keys: [KEYS.monitoring], attributes: ATTRIBUTES.lastTurn },
        { actions: ['PutItem'], keys: [KEYS.results], attributes: ATTRIBUTES.result },
        { actions: ['DeleteItem'], keys: [KEYS.results] }, // Of a job that was removed meanwhile.
        // The presence of an agent, as reported by itself and by the broker, and that a certificate before is retired; not
        // the agent's certificates.
        {
          actions: ['UpdateItem'],
          keys: [KEYS.site],
          attributes: [
            ...ATTRIBUTES.presence,
            ...ATTRIBUTES.connections,
            ...ATTRIBUTES.agentDetails,
            ...ATTRIBUTES.agentLimit,
          ],
        },
        { actions: ['UpdateItem'], keys: [KEYS.site], attributes: ATTRIBUTES.retirement },
        // Sightings of agents become changes of the collection.
        { actions: ['GetItem', 'Query'], keys: [KEYS.site] },
        ...OBSERVATION,
        // What port scans find.
        { actions: ['PutItem'], keys: [KEYS.site], attributes: ATTRIBUTES.ports },
        // The state of a site is changed with the journal's entry, and the plans of its agents are made.
        { actions: ['GetItem', 'Query', 'PutItem'], keys: [KEYS.monitoring] },
        // What it has measured.
        { actions: ['GetItem', 'Query', 'PutItem'], keys: [KEYS.series] },
        // The settings that an agent is told, and whether the site has another agent that is connected.
        { actions: ['GetItem'], keys: [KEYS.siteList] },
        // Which other sites went dark at the same time.
        { actions: ['Query'], keys: [KEYS.siteList] },
        { actions: ['UpdateItem'], keys: [KEYS.site, KEYS.siteList], attributes: ATTRIBUTES.staleness },
      ],
      messages: {
        over: 'connection',
        control: 'Every agent is told that its results are safe, and its settings.',
      },
      certificates: 'retire',
      // Which release agents are to become.
      releases: true,
      tasks: true,
    },
  },
  worker: {
    name: 'worker',
    description: 'Takes turns of hooks, batches and scans, and does the hourly maintenance',
    memoryMb: 512,
    // The turns of hooks and runs take a minute at most. The next hour goes on where the upkeep of this one has stopped; a
    // task that failed comes again only when it is over.
    timeLimitS: 180,
    isQuiet: true,
    callsItself: true,
    rights: {
      table: [
        // How far a batch or a scan has come; not what it runs, or where.
        { actions: ['GetItem'], keys: [KEYS.batches, KEYS.runs] },
        { actions: ['UpdateItem'], keys: [KEYS.batches, KEYS.runs], attributes: ATTRIBUTES.runProgress },
        // Whose command it is, and whether they may still use a site.
        { actions: ['GetItem'], keys: [KEYS.tokens, KEYS.people, KEYS.results] },
        { actions: ['BatchGetItem', 'PutItem'], keys: [KEYS.jobs] },
        // Those that the removal of a site needs.
        { actions: ['GetItem', 'Query'], keys: [KEYS.siteList, KEYS.site] },
        { actions: ['Query'], keys: [KEYS.tokenList, ...OF_A_SITE] },
        { actions: ['GetItem'], keys: [KEYS.jobs] },
        { actions: ['BatchGetItem'], keys: [KEYS.tokens, KEYS.results] },
        // Tokens lose the site, and those that had no other are removed.
        { actions: ['PutItem', 'DeleteItem'], keys: [KEYS.tokens, KEYS.tokenList] },
        // People lose their roles at it.
        { actions: ['Query', 'PutItem'], keys: [KEYS.people] },
        { actions: ['UpdateItem'], keys: [KEYS.jobs], attributes: [...ATTRIBUTES.end, 'startedAt'] },
        { actions: ['UpdateItem'], keys: [KEYS.site], attributes: ATTRIBUTES.collection },
        { actions: ['UpdateItem'], keys: [KEYS.site], attributes: ATTRIBUTES.certificates },
        // Agents that are lost, of which no event of the broker has told; what templates make, of which a
        // request has left something.
        { actions: ['GetItem', 'PutItem', 'UpdateItem'], keys: [KEYS.monitoring, KEYS.hooks] },
        { actions: ['UpdateItem'], keys: [KEYS.siteList], attributes: ATTRIBUTES.site },
        { actions: ['PutItem'], keys: [KEYS.audit] },
        { actions: ['UpdateItem'], keys: [KEYS.setup], attributes: ATTRIBUTES.upkeepTurn },
        ...OBSERVATION,
        { actions: ['DeleteItem', 'ConditionCheckItem'], keys: [KEYS.site, KEYS.siteList, ...OF_A_SITE] },
        // What is over is rolled up.
        { actions: ['GetItem', 'PutItem'], keys: [KEYS.series] },
      ],
      messages: {
        over: 'connection',
        request: 'Which agents get the command of a batch or a scan is chosen part by part.',
        control:
          'Commands of every agent can be cancelled, and agents are told their plan when an address in it changes.',
      },
      certificates: 'revoke',
      releases: true,
      tasks: true,
    },
  },
} as const satisfies Record<string, CloudFunction>;
