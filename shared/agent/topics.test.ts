import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentId, type ClientId, clientIdOf, clientIdPattern, readClientId } from '../identity.ts';
import {
  BROKER_LIMITS,
  InstanceId,
  ingestFilters,
  instanceId,
  permissions,
  sourceOf,
  stageOfInstance,
  topicMatches,
  topics,
} from './topics.ts';

const name = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/);
const agents = fc.tuple(name, name).map(([site, own]) => agentId(site, own));
const stages = fc.stringMatching(/^[a-z][a-z0-9]{0,15}$/);
const randoms = fc.stringMatching(/^[a-z0-9]{8,32}$/);
const TO_INGEST = ['presence', 'sightings', 'measurements'] as const;
/** What the two have to say to each other, and to ingest. */
const topicsOf = (client: ClientId, instance: string, nonce = 'n') => [
  ...[topics.request(client), topics.control(client), topics.reply(instance, client), topics.result(instance, client)],
  ...[topics.echo(instance, nonce), topics.presence(client), topics.sightings(client)],
];
/** A stage, with an agent and a connection of a function of it. */
const deployments = fc.tuple(stages, agents, randoms).map(([stage, agent, random]) => ({
  stage,
  agent,
  client: clientIdOf(stage, agent),
  instance: instanceId(stage, random),
}));

test('every topic and client id keeps within the limits of the broker', () => {
  fc.assert(
    fc.property(deployments, name, ({ client, instance }, nonce) => {
      const all = topicsOf(client, instance, nonce);
      for (const topic of all) expect(topic).toMatch(/^[^+#$\s]+$/);
      // IoT Core would not count what stands before the topics that are handed to a rule.
      for (const topic of [...all, ...TO_INGEST.map((kind) => topics.direct(kind, client))]) {
        expect(Buffer.byteLength(topic)).toBeLessThanOrEqual(BROKER_LIMITS.topicBytes);
        expect(topic.split('/').length - 1).toBeLessThanOrEqual(BROKER_LIMITS.topicSlashes);
      }
      expect(client.length).toBeLessThanOrEqual(BROKER_LIMITS.clientIdBytes);
      expect(client).toMatch(/^[a-zA-Z0-9:_-]{1,128}$/); // The name of a thing.
      expect(InstanceId.parse(instance)).toBe(instance);
    }),
  );
});

test('stage and agent can be read back from a client id, the stage from an instance, and from no other text', () => {
  fc.assert(
    fc.property(deployments, ({ stage, agent, client, instance }) => {
      expect(readClientId(client)).toEqual({ stage, agent });
      expect(stageOfInstance(instance)).toBe(stage);
      expect(new RegExp(clientIdPattern(stage)).test(client)).toBe(true);
      for (const other of [instance, agent, `:${agent}`, `${client}:x`, `${client}\n`, `X${client}`, `-${client}`]) {
        expect(readClientId(other), other).toBeNull();
        expect(new RegExp(clientIdPattern(stage)).test(other), other).toBe(false);
      }
    }),
  );
  for (const text of ['', ':', '::', 'prod', 'prod:', 'prod:home', 'prod:home:', '1prod:home:main']) {
    expect(readClientId(text), text).toBeNull();
  }
});

test('who published what can be read from the topic, and from no other topic', () => {
  fc.assert(
    fc.property(deployments, deployments, ({ stage, agent, client, instance }, other) => {
      expect(sourceOf(topics.reply(instance, client))).toEqual({ kind: 'reply', stage, agent });
      expect(sourceOf(topics.result(instance, client))).toEqual({ kind: 'result', stage, agent });
      expect(sourceOf(topics.presence(client))).toEqual({ kind: 'presence', stage, agent });
      expect(sourceOf(topics.sightings(client))).toEqual({ kind: 'sightings', stage, agent });
      for (const event of ['connected', 'disconnected'] as const) {
        expect(sourceOf(topics.connection(event, client))).toEqual({ kind: 'connection', stage, agent });
        expect(sourceOf(topics.connection(event, instance))).toBeNull();
        expect(sourceOf(topics.connection(event, agent))).toBeNull();
      }
      const echoes = [topics.echo(instance, client), topics.echo(instance, 'result')];
      for (const topic of [topics.request(client), topics.control(client), ...echoes]) {
        expect(sourceOf(topic)).toBeNull();
      }
      fc.pre(stage !== other.stage);
      expect(sourceOf(`lr/v1/${other.stage}/p/${client}`)).toBeNull();
      expect(sourceOf(`lr/v1/${other.stage}/r/${instance}/${client}/result`)).toBeNull();
    }),
  );
  for (const topic of [
    ...['', 'lr/v1/prod/r/x', 'lr/v1/prod/p/', 'lr/v1/p/home:main', 'lr/v1/p/prod:home:main', 'lr/v1/prod/p/home:main'],
    ...['lr/v1/prod/r/x/prod:home:main/result/x', 'lr/v1/prod/r/x/prod:home:main/other', 'lr/v1/prod/p/prod:home'],
    ...['lr/v1/prod/p/prod:home:main/result', 'lr/v1/prod/p/prod:home:main/x', 'x/lr/v1/prod/p/prod:home:main'],
    ...['lr/v1/prod/p/prod:home:main\n', '$aws/events/presence/connect_failed/prod:home:main'],
    ...['$aws/events/presence/connected/prod:home:main/x', 'x/$aws/events/presence/connected/prod:home:main'],
    'lr/v1/prod/$aws/events/presence/connected/prod:home:main',
  ]) {
    expect(sourceOf(topic), topic).toBeNull();
  }
});

const matchesAny = (filters: readonly string[], topic: string) => filters.some((filter) => topicMatches(filter, topic));

test('an agent and a function reach each other, and no other client', () => {
  fc.assert(
    fc.property(deployments, agents, randoms, ({ stage, agent, client, instance }, neighbour, random) => {
      const [other, stranger] = [clientIdOf(stage, neighbour), instanceId(stage, random)];
      fc.pre(agent !== neighbour && instance !== stranger);
      const elsewhere = stage === 'prod' ? 'prod2' : 'prod';
      const [mine, theirs] = [permissions.agent(stage, client), permissions.functions(instance)];
      const toAgent = [topics.request(client), topics.control(client)];
      const toFunctions = [topics.reply(instance, client), topics.result(instance, client)];
      const echo = topics.echo(instance, 'n');
      expect(mine.subscribe).toEqual([topics.allForAgent(client), ...toAgent]);
      for (const [filters, allowed] of [
        [theirs.publish, [...toAgent, echo]],
        [mine.receive, toAgent],
        [mine.publish, [...toFunctions, topics.presence(client), topics.sightings(client)]],
        [theirs.receive, [...toFunctions, echo]],
      ] as const) {
        for (const topic of allowed) expect(matchesAny(filters, topic), topic).toBe(true);
      }

      for (const topic of [
        topics.reply(instance, other),
        topics.result(instance, other),
        topics.presence(other),
        topics.sightings(other),
        // Nor in another stage, in its own name or in that of its namesake there.
        topics.presence(clientIdOf(elsewhere, agent)),
        topics.result(instance, clientIdOf(elsewhere, agent)),
        topics.result(instance, client).replace(`/${stage}/`, `/${elsewhere}/`),
        topics.presence(client).replace(`/${stage}/`, `/${elsewhere}/`),
        topics.request(client),
        topics.request(other),
        topics.connection('connected', client),
        topics.connection('disconnected', other),
      ]) {
        expect(matchesAny(mine.publish, topic), topic).toBe(false);
      }
      expect(matchesAny(mine.receive, topics.request(other))).toBe(false);
      expect(matchesAny(theirs.receive, topics.reply(stranger, client))).toBe(false);
      for (const topic of [
        topics.reply(instance, client),
        topics.result(instance, client),
        topics.echo(stranger, 'n'),
        topics.presence(client),
        topics.connection('disconnected', client),
      ]) {
        expect(matchesAny(theirs.publish, topic), topic).toBe(false);
      }
      for (const topic of [topics.connection('connected', client), topics.connection('connected', instance)]) {
        expect(matchesAny([...mine.receive, ...theirs.receive], topic), topic).toBe(false);
      }
    }),
  );
});

test('what an agent hands to a rule is read as what the rule would receive of its topic, and each rule takes its own kind', () => {
  fc.assert(
    fc.property(deployments, deployments, ({ stage, agent, client }, other) => {
      const { publish } = permissions.agent(stage, client);
      for (const kind of TO_INGEST) {
        const topic = topics.direct(kind, client);
        expect(topic).toMatch(/^\$aws\/rules\/\w+\/lr\/v1\//);
        expect(topicMatches(ingestFilters(stage)[kind], topic.split('/').slice(3).join('/'))).toBe(true);
        expect(sourceOf(topic)).toEqual({ kind, stage, agent });
        expect(matchesAny(publish, topic)).toBe(true);
        expect(matchesAny(publish, topics.direct(kind, other.client))).toBe(client === other.client);
        for (const wrong of TO_INGEST.filter((one) => one !== kind)) {
          const mixed = `${topic.slice(0, topic.indexOf('/lr/v1/'))}/${topics[wrong](client)}`;
          expect(sourceOf(mixed), mixed).toBeNull();
          expect(matchesAny(publish, mixed), mixed).toBe(false);
        }
      }
    }),
  );
  for (const topic of [
    '$aws/rules/LanReach_prod2_Presence/lr/v1/prod/p/prod:home:main',
    '$aws/rules/',
    '$aws/rules/x/y',
  ])
    expect(sourceOf(topic), topic).toBeNull();
});

test('no client of one stage may publish, receive or store anything of another one, even with the same agents and numbers', () => {
  fc.assert(
    fc.property(stages, stages, agents, randoms, (here, there, agent, random) => {
      fc.pre(here !== there);
      const [client, instance] = [clientIdOf(there, agent), instanceId(there, random)];
      const theirs = [...topicsOf(client, instance), ...TO_INGEST.map((kind) => topics.direct(kind, client))];
      const { results, presence, sightings } = ingestFilters(here);
      for (const { publish, receive, subscribe } of [
        permissions.agent(here, clientIdOf(here, agent)),
        permissions.functions(instanceId(here, random)),
      ]) {
        const ours = [...publish, ...receive, ...subscribe, results, presence, sightings];
        for (const topic of theirs) expect(matchesAny(ours, topic), topic).toBe(false);
      }
      expect(new RegExp(clientIdPattern(here)).test(client)).toBe(false);
    }),
  );
});

test('ingest sees results, presence, sightings and connections, but neither acks nor echoes', () => {
  fc.assert(
    fc.property(deployments, ({ stage, client, instance }) => {
      const { results, presence, sightings, connections } = ingestFilters(stage);
      expect(topicMatches(results, topics.result(instance, client))).toBe(true);
      expect(topicMatches(results, topics.reply(instance, client))).toBe(false);
      expect(topicMatches(results, topics.echo(instance, 'n'))).toBe(false);
      expect(topicMatches(presence, topics.presence(client))).toBe(true);
      expect(topicMatches(sightings, topics.sightings(client))).toBe(true);
      expect(topicMatches(connections, topics.connection('connected', client))).toBe(true);
      expect(topicMatches(connections, topics.connection('disconnected', client))).toBe(true);
    }),
  );
});

test('a filter matches as a regular expression made from it would', () => {
  const level = fc.constantFrom('a', 'b', '', '+');
  const names = fc
    .array(fc.constantFrom('a', 'b', '', '$'), { minLength: 1, maxLength: 4 })
    .map((levels) => levels.join('/'));
  const filters = fc
    .tuple(fc.array(level, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([levels, open]) => (open ? [...levels, '#'] : levels).join('/'));
  fc.assert(
    fc.property(filters, names, (filter, topic) => {
      const pattern = filter.replaceAll('+', '[^/]*').replace(/\/#$/, '(?:/.*)?').replaceAll('$', '\\$');
      const byWildcard = topic.startsWith('$') && /^[+#]/.test(filter);
      expect(topicMatches(filter, topic)).toBe(!byWildcard && new RegExp(`^${pattern}$`).test(topic));
    }),
    { numRuns: 600 },
  );
});
