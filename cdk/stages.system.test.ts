/** Two stages in one region of an account: they share one broker, and nothing of the one reaches the other. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ingestFilters, instanceId, topicMatches, topics } from '../shared/agent/topics.ts';
import { clientIdOf, type Stage } from '../shared/identity.ts';
import { PROD2 } from '../test/cdk/deployments.ts';
import {
  ACCOUNT,
  isAllowed,
  ofType,
  REGION,
  type Resources,
  type Statement,
  statementsOf,
} from '../test/cdk/policy.ts';
import { synthesizeOnce } from '../test/cdk/synthesize.ts';

const STAGES = ['prod', 'prod2'] as const;
const BOTH_WAYS = [STAGES, STAGES.toReversed()] as [Stage, Stage][];
const ROLES = ['Data', 'Commands', 'Access', 'Console', 'Ingest', 'Worker'].map((name) => `${name}Role`);

let templates: Record<Stage, Resources>;
beforeAll(async () => {
  const [prod, prod2] = [await synthesizeOnce(), await synthesizeOnce(PROD2)];
  templates = { prod: prod.resources, prod2: prod2.resources };
});

const resourcesOf = (stage: Stage): Resources => templates[stage] ?? {};
const iot = (resource: string) => `arn:aws:iot:${REGION}:${ACCOUNT}:${resource}`;

/** What exists at the broker in a stage. Sites, agents and random numbers are the same in both. */
function partsOf(stage: Stage) {
  const agent = clientIdOf(stage, 'home:main');
  const instance = instanceId(stage, '0123456789abcdef');
  const toAgent = [topics.request(agent), topics.control(agent)];
  const toFunctions = [topics.reply(instance, agent), topics.result(instance, agent)];
  const direct = (['presence', 'sightings', 'measurements'] as const).map((kind) => topics.direct(kind, agent));
  const toIngest = [topics.result(instance, agent), topics.presence(agent), topics.sightings(agent), ...direct];
  const echo = topics.echo(instance, 'f00d');
  const filters = [topics.allForAgent(agent), topics.allForInstance(instance)];
  return { agent, instance, toAgent, toFunctions, toIngest, echo, filters };
}

/** Every right to publish, receive or act in a stage. */
function everythingIn(stage: Stage) {
  const { agent, instance, toAgent, toFunctions, toIngest, echo, filters } = partsOf(stage);
  const all = [...toAgent, ...toFunctions, ...toIngest, echo];
  return [
    ...[agent, instance].flatMap((client) => [
      { action: 'iot:Connect', resource: iot(`client/${client}`) },
      { action: 'iot:DeleteConnection', resource: iot(`client/${client}`) },
    ]),
    ...[...filters, ...all].map((filter) => ({ action: 'iot:Subscribe', resource: iot(`topicfilter/${filter}`) })),
    ...all.flatMap((topic) => [
      { action: 'iot:Receive', resource: iot(`topic/${topic}`) },
      { action: 'iot:Publish', resource: iot(`topic/${topic}`) },
    ]),
    ...['CreateThing', 'DeleteThing', 'ListThingPrincipals', 'AttachThingPrincipal', 'DetachThingPrincipal'].map(
      (action) => ({
        action: `iot:${action}`,
        resource: iot(`thing/${agent}`),
        context: { 'iot:thingArn': iot(`thing/${agent}`) },
      }),
    ),
  ];
}

describe.each(BOTH_WAYS)('between %s and %s', (here, there) => {
  test('no function has a right on clients, topics or things of the other stage, and all together have those on their own', () => {
    const rightsIn = (stage: Stage, role: string) => {
      const statements = statementsOf(resourcesOf(here), role);
      return everythingIn(stage).filter((request) => isAllowed(statements, request));
    };
    for (const role of ROLES) expect(rightsIn(there, role), role).toEqual([]);
    const own = ROLES.flatMap((role) => rightsIn(here, role)).map(({ action, resource }) => `${action} ${resource}`);
    const { agent, instance, toAgent, toFunctions, echo, filters } = partsOf(here);
    expect(own).toEqual(
      expect.arrayContaining([
        `iot:Connect ${iot(`client/${instance}`)}`,
        `iot:Subscribe ${iot(`topicfilter/${filters[1]}`)}`,
        ...toFunctions.map((topic) => `iot:Receive ${iot(`topic/${topic}`)}`),
        ...[...toAgent, echo].map((topic) => `iot:Publish ${iot(`topic/${topic}`)}`),
        `iot:DeleteConnection ${iot(`client/${agent}`)}`,
        `iot:CreateThing ${iot(`thing/${agent}`)}`,
      ]),
    );
  });

  test('an agent has no right in the other stage, though its site and its name are the same there', () => {
    const [[, policy]] = ofType(resourcesOf(here), 'AWS::IoT::Policy') as [[string, Resources[string]]];
    const { Statement: statements } = policy.Properties.PolicyDocument as { Statement: Statement[] };
    const { agent, toAgent, toFunctions, toIngest, filters } = partsOf(here);
    const context = {
      'iot:Connection.Thing.ThingName': agent,
      'iot:Connection.Thing.IsAttached': 'true',
      'iot:ConnectAttributes': ['LastWill'],
    };
    const may = (action: string, resource: string) =>
      isAllowed(statements, { action, resource: iot(resource), context });
    expect(may('iot:Connect', `client/${agent}`)).toBe(true);
    expect(may('iot:Subscribe', `topicfilter/${filters[0]}`)).toBe(true);
    for (const topic of toAgent) expect(may('iot:Receive', `topic/${topic}`), topic).toBe(true);
    for (const topic of [...toFunctions, ...toIngest]) expect(may('iot:Publish', `topic/${topic}`), topic).toBe(true);
    const crossing = everythingIn(there).filter((request) => isAllowed(statements, { ...request, context }));
    expect(crossing).toEqual([]);
    // Also where it would be an agent of the other stage that this policy is attached to.
    const astray = { ...context, 'iot:Connection.Thing.ThingName': partsOf(there).agent };
    const topicsOfOther = everythingIn(there).filter(({ action }) => /Subscribe|Receive|Publish/.test(action));
    expect(topicsOfOther.filter((request) => isAllowed(statements, { ...request, context: astray }))).toEqual([]);
  });

  test('the rules forward what agents of their own stage say, and events about them', () => {
    const rules = ofType(resourcesOf(here), 'AWS::IoT::TopicRule').map(([, { Properties }]) => {
      const { Sql } = Properties.TopicRulePayload as { Sql: string };
      const [, filter = '', , pattern] =
        / FROM '([^']+)'( WHERE .*regexp_matches\(topic\(5\), '([^']+)'\))?$/.exec(Sql) ?? [];
      return {
        filter,
        pattern: pattern === undefined ? null : new RegExp(pattern),
        // What is handed to a rule by its name reaches it whatever its filter says.
        byName: `$aws/rules/${Properties.RuleName}/`,
      };
    });
    const isForwarded = (topic: string) =>
      rules.some(
        ({ filter, pattern, byName }) =>
          topic.startsWith(byName) ||
          (topicMatches(filter, topic) && (pattern === null || pattern.test(topic.split('/')[4] ?? ''))),
      );
    const events = (stage: Stage) => [
      topics.connection('connected', partsOf(stage).agent),
      topics.connection('disconnected', partsOf(stage).agent),
    ];
    expect(rules.map(({ filter }) => filter).sort()).toEqual(Object.values(ingestFilters(here)).sort());
    for (const topic of [...partsOf(here).toIngest, ...events(here)]) expect(isForwarded(topic), topic).toBe(true);
    const { toAgent, toFunctions, toIngest, echo } = partsOf(there);
    for (const topic of [...toAgent, ...toFunctions, ...toIngest, echo, ...events(there)]) {
      expect(isForwarded(topic), topic).toBe(false);
    }
  });

  test('the role of the rules can be taken by those of the own stage only', () => {
    const [, role] = ofType(resourcesOf(here), 'AWS::IAM::Role').find(([id]) => id.startsWith('BrokerRuleRole'))!;
    const { Statement: trust } = role.Properties.AssumeRolePolicyDocument as { Statement: Statement[] };
    const statements = trust.map((statement) => ({ ...statement, Resource: '*' }));
    const names = (stage: Stage) =>
      ofType(resourcesOf(stage), 'AWS::IoT::TopicRule').map(([, { Properties }]) => String(Properties.RuleName));
    const mayTake = (rule: string) =>
      isAllowed(statements, {
        action: 'sts:AssumeRole',
        resource: '*',
        context: { 'aws:SourceAccount': ACCOUNT, 'aws:SourceArn': iot(`rule/${rule}`) },
      });
    expect(names(here).map(mayTake)).toEqual([true, true, true, true, true]);
    expect(names(there).map(mayTake)).toEqual([false, false, false, false, false]);
  });
});
