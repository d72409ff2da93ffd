import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentId } from '../identity.ts';
import { BROKER_LIMITS, InstanceId, ingestFilters, permissions, sourceOf, topicMatches, topics } from './topics.ts';

const name = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/);
const agents = fc.tuple(name, name).map(([site, own]) => agentId(site, own));
const instances = fc.stringMatching(/^lr-api-[a-z0-9]{8,32}$/);

test('every topic and client id keeps within the limits of the broker', () => {
  fc.assert(
    fc.property(agents, instances, name, (agent, instance, nonce) => {
      const all = [
        topics.request(agent),
        topics.control(agent),
        topics.reply(instance, agent),
        topics.result(instance, agent),
        topics.echo(instance, nonce),
        topics.presence(agent),
        topics.sightings(agent),
      ];
      for (const topic of all) {
        expect(Buffer.byteLength(topic)).toBeLessThanOrEqual(BROKER_LIMITS.topicBytes);
        expect(topic.split('/').length - 1).toBeLessThanOrEqual(BROKER_LIMITS.topicSlashes);
        expect(topic).toMatch(/^[^+#$\s]+$/);
      }
      expect(agent.length).toBeLessThanOrEqual(BROKER_LIMITS.clientIdBytes);
      expect(InstanceId.parse(instance)).toBe(instance);
    }),
  );
});

test('who published what can be read from the topic, and from no other topic', () => {
  fc.assert(
    fc.property(agents, instances, (agent, instance) => {
      expect(sourceOf(topics.reply(instance, agent))).toEqual({ kind: 'reply', agent });
      expect(sourceOf(topics.result(instance, agent))).toEqual({ kind: 'result', agent });
      expect(sourceOf(topics.presence(agent))).toEqual({ kind: 'presence', agent });
      expect(sourceOf(topics.sightings(agent))).toEqual({ kind: 'sightings', agent });
      for (const event of ['connected', 'disconnected'] as const) {
        expect(sourceOf(topics.connection(event, agent))).toEqual({ kind: 'connection', agent });
        expect(sourceOf(topics.connection(event, instance))).toBeNull();
      }
      const echoes = [topics.echo(instance, agent), topics.echo(instance, 'result')];
      for (const other of [topics.request(agent), topics.control(agent), ...echoes]) {
        expect(sourceOf(other)).toBeNull();
      }
    }),
  );
  for (const topic of [
    '',
    'lr/v1/r/x',
    'lr/v1/p/',
    'lr/v1/r/x/home:main/result/x',
    'lr/v1/r/x/home:main/other',
    'lr/v1/p/home:main/result',
    'lr/v1/p/home',
    'lr/v1/p/home:main/x',
    'x/lr/v1/p/home:main',
    'lr/v1/p/home:main\n',
    '$aws/events/presence/connect_failed/home:main',
    '$aws/events/presence/connected/home:main/x',
    'x/$aws/events/presence/connected/home:main',
    'lr/v1/$aws/events/presence/connected/home:main',
  ]) {
    expect(sourceOf(topic), topic).toBeNull();
  }
});

test('an agent and a function reach each other, and nobody else', () => {
  const matchesAny = (filters: string[], topic: string) => filters.some((filter) => topicMatches(filter, topic));
  fc.assert(
    fc.property(agents, agents, instances, instances, (agent, other, instance, stranger) => {
      fc.pre(agent !== other && instance !== stranger);
      const [mine, theirs] = [permissions.agent(agent), permissions.functions(instance)];
      expect(matchesAny(theirs.publish, topics.request(agent))).toBe(true);
      expect(matchesAny(theirs.publish, topics.control(agent))).toBe(true);
      expect(matchesAny(mine.receive, topics.request(agent))).toBe(true);
      expect(matchesAny(mine.receive, topics.control(agent))).toBe(true);
      expect(matchesAny(mine.publish, topics.reply(instance, agent))).toBe(true);
      expect(matchesAny(theirs.receive, topics.reply(instance, agent))).toBe(true);
      expect(matchesAny(mine.publish, topics.result(instance, agent))).toBe(true);
      expect(matchesAny(theirs.receive, topics.result(instance, agent))).toBe(true);

      for (const topic of [
        topics.reply(instance, other),
        topics.result(instance, other),
        topics.presence(other),
        topics.sightings(other),
        topics.request(agent),
        topics.request(other),
        topics.connection('connected', agent),
        topics.connection('disconnected', other),
      ]) {
        expect(matchesAny(mine.publish, topic), topic).toBe(false);
      }
      expect(matchesAny(mine.receive, topics.request(other))).toBe(false);
      expect(matchesAny(theirs.receive, topics.reply(stranger, agent))).toBe(false);
      for (const topic of [
        topics.reply(instance, agent),
        topics.result(instance, agent),
        topics.echo(stranger, 'n'),
        topics.presence(agent),
        topics.connection('disconnected', agent),
      ]) {
        expect(matchesAny(theirs.publish, topic), topic).toBe(false);
      }
      for (const topic of [topics.connection('connected', agent), topics.connection('connected', instance)]) {
        expect(matchesAny([...mine.receive, ...theirs.receive], topic), topic).toBe(false);
      }
    }),
  );
});

test('ingest sees results, presence, sightings and connections, but neither acks nor echoes', () => {
  fc.assert(
    fc.property(agents, instances, (agent, instance) => {
      expect(topicMatches(ingestFilters.results, topics.result(instance, agent))).toBe(true);
      expect(topicMatches(ingestFilters.results, topics.reply(instance, agent))).toBe(false);
      expect(topicMatches(ingestFilters.results, topics.echo(instance, 'n'))).toBe(false);
      expect(topicMatches(ingestFilters.presence, topics.presence(agent))).toBe(true);
      expect(topicMatches(ingestFilters.sightings, topics.sightings(agent))).toBe(true);
      expect(topicMatches(ingestFilters.connections, topics.connection('connected', agent))).toBe(true);
      expect(topicMatches(ingestFilters.connections, topics.connection('disconnected', agent))).toBe(true);
    }),
  );
});

// The examples of MQTT 3.1.1 section 4.7, and its rule about $.
test.each([
  ['sport/tennis/player1/#', 'sport/tennis/player1', true],
  ['sport/tennis/player1/#', 'sport/tennis/player1/ranking', true],
  ['sport/tennis/player1/#', 'sport/tennis/player2', false],
  ['sport/#', 'sport', true],
  ['#', 'sport/tennis', true],
  ['sport/tennis/+', 'sport/tennis/player1', true],
  ['sport/tennis/+', 'sport/tennis/player1/ranking', false],
  ['sport/+', 'sport', false],
  ['sport/+', 'sport/', true],
  ['+/+', '/finance', true],
  ['/+', '/finance', true],
  ['+', '/finance', false],
  ['#', '$SYS/monitor', false],
  ['+/monitor', '$SYS/monitor', false],
  ['$SYS/#', '$SYS/monitor', true],
  ['$SYS/+', '$SYS/monitor', true],
  ['a/#', 'a/$b', true],
  ['a', 'A', false],
  ['a/b', 'a/b/', false],
])('%s and %s: %s', (filter, topic, matches) => {
  expect(topicMatches(filter, topic)).toBe(matches);
});

test('a filter matches as a regular expression made from it would', () => {
  const level = fc.constantFrom('a', 'b', '', '+');
  const topicsOf = fc
    .array(fc.constantFrom('a', 'b', '', '$'), { minLength: 1, maxLength: 4 })
    .map((levels) => levels.join('/'));
  const filters = fc
    .tuple(fc.array(level, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([levels, open]) => (open ? [...levels, '#'] : levels).join('/'));
  fc.assert(
    fc.property(filters, topicsOf, (filter, topic) => {
      const pattern = filter.replaceAll('+', '[^/]*').replace(/\/#$/, '(?:/.*)?').replaceAll('$', '\\$');
      const byWildcard = topic.startsWith('$') && /^[+#]/.test(filter);
      expect(topicMatches(filter, topic)).toBe(!byWildcard && new RegExp(`^${pattern}$`).test(topic));
    }),
    { numRuns: 600 },
  );
});
