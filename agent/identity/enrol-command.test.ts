import { expect, test } from 'vitest';
import { ConnectError } from '../link/session.ts';
import { explain, isUnencrypted } from './enrol-command.ts';

const IOT_CORE = 'a1b2c3-ats.iot.eu-central-1.amazonaws.com';
const timeout = new Error('connack timeout');

function explained(reached: ConnectError['reached'], host: string, port: number, cause: Error = timeout): string {
  return explain(new ConnectError(reached, { cause }), 'home:main', { host, port }, '/var/lib/lanreach-agent');
}

test('where a firewall may be in the way of IoT Core, the port that it seldom closes is offered', () => {
  const text = explained('nothing', IOT_CORE, 8883);
  expect(text).toContain(`the broker at ${IOT_CORE} port 8883 cannot be reached: connack timeout`);
  expect(text).toContain('blocks outgoing connections to port 8883');
  expect(text).toContain(`LANREACH_BROKER=mqtts://${IOT_CORE}:443 lanreach-agent run`);
  expect(explained('nothing', 'a1.iot.cn-north-1.amazonaws.com.cn', 8883)).toContain(':443');
});

test.each([
  ['that port is closed, too', explained('nothing', IOT_CORE, 443)],
  ['the broker is another', explained('nothing', '192.168.1.2', 8883)],
  ['the broker was reached', explained('host', IOT_CORE, 8883)],
  ['the broker has answered', explained('broker', IOT_CORE, 8883)],
])('it is not offered where %s', (_, text) => {
  expect(text).not.toContain('LANREACH_BROKER');
  expect(text).toContain('This host is home:main now');
  expect(text).toContain('/var/lib/lanreach-agent: do not enrol again');
});

test('the message about a host with several addresses has the reason for each of them', () => {
  const cause = new AggregateError(['::1:9', '127.0.0.1:9'].map((at) => new Error(`connect ECONNREFUSED ${at}`)));
  expect(explained('nothing', 'localhost', 9, cause)).toContain('ECONNREFUSED ::1:9, connect ECONNREFUSED 127.0.0.1:9');
});

test.each([
  ['http://192.168.1.2:8787', true],
  ['http://lan.example.org/prod/', true],
  ['http://localhost.example.org', true],
  ['https://lan.example.org/prod/', false],
  ['http://127.0.0.1:8787', false],
  ['http://localhost:8787', false],
  ['http://[::1]:8787', false],
])('over %s others can listen: %s', (url, expected) => {
  expect(isUnencrypted(url)).toBe(expected);
});
