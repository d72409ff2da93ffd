import { expect, test } from 'vitest';
import { agents } from '../../../shared/api/agents.ts';
import type { ListedAgent } from '../../../shared/api/records.ts';
import { freeName } from './free-name.ts';
import { type Known, progressOf } from './progress.ts';

const SINCE = '2026-11-01T08:15:00.000Z';
const [EXAMPLE] = agents.listAgents.example.response.agents;
const agent = (changed: Partial<ListedAgent> = {}): ListedAgent => ({ ...EXAMPLE, since: SINCE, ...changed });
const known = (changed: Partial<Known> = {}): Known => ({
  agent: agent(),
  replaced: null,
  discovery: { enabled: true, networks: 'auto', intervalSeconds: 60 },
  devices: 0,
  ...changed,
});

test('an agent enrols, connects, and finds devices', () => {
  expect(progressOf(known({ agent: undefined }))).toEqual({ enrolled: 'waiting', online: 'later', devices: 'later' });
  for (const state of ['enrolling', 'offline', 'draining'] as const) {
    const step = progressOf(known({ agent: agent({ state }), devices: 5 }));
    expect([state, step]).toEqual([state, { enrolled: 'done', online: 'waiting', devices: 'later' }]);
  }
  expect(progressOf(known())).toEqual({ enrolled: 'done', online: 'done', devices: 'waiting' });
  expect(progressOf(known({ agent: agent({ discovery: null }) })).devices).toBe('waiting');
  expect(progressOf(known({ devices: 1 }))).toEqual({ enrolled: 'done', online: 'done', devices: 'done' });
});

test('no devices come while discovery is off, forbidden or failing', () => {
  const off = { enabled: false, networks: 'auto', intervalSeconds: 60 } as const;
  expect(progressOf(known({ discovery: off, devices: 5 })).devices).toBe('problem');
  for (const state of ['not-allowed', 'failing'] as const) {
    const step = progressOf(known({ agent: agent({ discovery: { state } }) })).devices;
    expect([state, step]).toEqual([state, 'problem']);
  }
});

test('the agent that is being replaced is not taken for the new one', () => {
  const replaced = { state: 'online', since: SINCE } as const;
  expect(progressOf(known({ replaced })).enrolled).toBe('waiting');
  for (const changed of [{ state: 'enrolling', since: null }, { since: '2026-11-01T09:15:00.000Z' }] as const) {
    expect(progressOf(known({ replaced, agent: agent(changed) })).enrolled).toBe('done');
  }
});

test('a further agent gets a name that is free', () => {
  expect(freeName([])).toBe('main');
  expect(freeName(['attic'])).toBe('main');
  expect(freeName(['main', 'main-3', 'main-2'])).toBe('main-4');
});
