import { expect, test } from 'vitest';
import { firstStepOf } from './first-step.ts';

type Agent = Parameters<typeof firstStepOf>[0][number];

const agent: Agent = { id: 'home:main', state: 'online', networks: ['192.168.1.0/24'], discovery: null };
const away: Agent = { ...agent, state: 'offline' };
const on = { enabled: true };
const off = { enabled: false };

test('without an agent, add one; with offline agents, connect one; while discovery is off, an online one is proposed', () => {
  for (const discovery of [off, on]) expect(firstStepOf([], discovery)).toEqual({ step: 'add-agent' });
  expect(firstStepOf([away], on)).toEqual({ step: 'connect-agent' });
  const watch = { step: 'watch', agent: 'home:main', networks: ['192.168.1.0/24'] };
  expect(firstStepOf([away, agent], off)).toEqual(watch);
});

test('an agent that runs discovery, or has not reported yet, means waiting', () => {
  const looking: Agent = { ...agent, discovery: { state: 'on', networks: ['10.0.0.0/24'] } };
  expect(firstStepOf([agent], on)).toEqual({ step: 'wait', networks: [] });
  expect(firstStepOf([agent, looking, looking], on)).toEqual({ step: 'wait', networks: ['10.0.0.0/24'] });
});

test('a problem of every agent is reported, and one agent without is enough', () => {
  const refused: Agent = { ...agent, discovery: { state: 'not-allowed', problem: 'policy' } };
  const elsewhere: Agent = { ...agent, discovery: { state: 'another-network' } };
  expect(firstStepOf([refused], on)).toEqual({ step: 'clear', state: 'not-allowed', problem: 'policy' });
  expect(firstStepOf([elsewhere], on)).toEqual({ step: 'clear', state: 'another-network', problem: '' });
  expect(firstStepOf([refused, agent], on)).toMatchObject({ step: 'wait' });
});
