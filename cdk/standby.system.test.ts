/** Two regions: what the first has in addition, and what the second has not as long as it waits. */
import { expect, test } from 'vitest';
import { ofType } from '../test/cdk/policy.ts';
import { type Synthesized, synthesizeUnchecked } from '../test/cdk/synthesize.ts';

const STREAM = 'arn:aws:dynamodb:eu-west-1:123456789012:table/LanReach-prod-data-Table/stream/2026-11-01T08:15:00.000';
const GIVEN = { tableName: 'LanReach-prod-data-Table', tableStreamArn: STREAM };
const STANDBY_AT = 'https://b.example/prod/,mqtts://abc-ats.iot.eu-west-1.amazonaws.com:8883';

const only = ({ resources }: Synthesized, type: string) =>
  ofType(resources, type)[0]?.[1].Properties as Record<string, never>;
const streamOf = ({ resources }: Synthesized) =>
  ofType(resources, 'AWS::Lambda::EventSourceMapping').find(
    ([, { Properties }]) => 'StartingPosition' in Properties,
  )?.[1].Properties;
const termsOf = ({ resources }: Synthesized) =>
  ofType(resources, 'AWS::Lambda::Function').flatMap(([, { Properties }]) => {
    const { Variables = {} } = (Properties.Environment ?? {}) as { Variables?: Record<string, string> };
    return 'TERM_OF_SERVER' in Variables ? [[Variables.TERM_OF_SERVER, Variables.STANDBY_AT]] : [];
  });

test('the first region has a copy of its table in the other, and its functions tell agents where that is', () => {
  const first = synthesizeUnchecked({ standbyRegion: 'eu-west-1', standbyAt: STANDBY_AT });
  const { Replicas, StreamSpecification } = only(first, 'AWS::DynamoDB::GlobalTable');
  expect(StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
  expect(Replicas).toMatchObject([
    { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
    { Region: 'eu-west-1', DeletionProtectionEnabled: true },
  ]);
  expect(streamOf(first)?.Enabled).not.toBe(false);
  for (const told of termsOf(first)) expect(told).toEqual(['1', STANDBY_AT]);
  expect(termsOf(first).length).toBeGreaterThan(5);
});

test('the second one lets no agent in and tells nobody anything until its term is set', () => {
  const waiting = synthesizeUnchecked({ ...GIVEN, term: '0' });
  expect(JSON.stringify(only(waiting, 'AWS::IoT::Policy'))).not.toContain('Allow');
  expect(streamOf(waiting)).toMatchObject({ Enabled: false, EventSourceArn: STREAM });
  expect(only(waiting, 'AWS::Events::Rule')).toMatchObject({ State: 'DISABLED' });
  const promoted = synthesizeUnchecked({ ...GIVEN, term: '2' });
  expect(JSON.stringify(only(promoted, 'AWS::IoT::Policy'))).toContain('iot:Connect');
  expect(streamOf(promoted)?.Enabled).not.toBe(false);
  expect(only(promoted, 'AWS::Events::Rule')).toMatchObject({ State: 'ENABLED' });
  for (const [term] of termsOf(promoted)) expect(term).toBe('2');
  // The table, its queues and the policy are the same resources: promoting replaces nothing.
  expect(Object.keys(promoted.resources).sort()).toEqual(Object.keys(waiting.resources).sort());
});
