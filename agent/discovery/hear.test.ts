/** What becomes of signs that are heard between two looks. */
import { expect, test } from 'vitest';
import { MINUTE, macOf, NETWORK, newKnown, ROUTER, START, seen } from '../../test/support/agent/made-up-lan.ts';

const A = macOf(20);
const NEW = macOf(30);
const [router, a] = [ROUTER, seen(A, '10.0.0.20')];

/** An agent that knows its LAN: what it hears is news. */
async function settled() {
  const agent = await newKnown();
  let at = START;
  const cycle = (evidence = [router, a]) => {
    at += MINUTE;
    return agent.cycle(at, evidence);
  };
  for (let i = 0; i < 3; i++) cycle();
  agent.known.confirm(agent.known.lastChange);
  const hear = (mac: string, ip: string | null, heard: Parameters<typeof agent.known.hear>[0]['heard'] = []) => {
    at += 1_000;
    const isNews = agent.known.hear({ mac, ip, heard }, NETWORK.cidr, at);
    return [isNews, agent.known.commit()];
  };
  return { ...agent, cycle, hear, now: () => at };
}

test('who is new is told at once, with the address when there is one; what DHCP says comes with it', async () => {
  const { hear, told, now } = await settled();
  const name = { source: 'dhcp-name', value: 'tv' } as const;
  expect(hear(NEW, null, [name])).toEqual([true, 1]);
  const first = told(NEW);
  expect(first).toMatchObject({ online: true, ip: null, since: now(), observations: [name] });
  expect(first?.baseline).toBeUndefined();
  expect(hear(NEW, '10.0.0.30', [name])).toEqual([true, 1]);
  expect(told(NEW)).toMatchObject({ ip: '10.0.0.30', ips: ['10.0.0.30'] });
  expect(hear(NEW, '10.0.0.30', [name])).toEqual([false, 0]);
});

test('who is online is only there for longer, whatever address it names; a look decides on that', async () => {
  const { known, hear, told, cycle, now } = await settled();
  const before = told(A);
  expect(hear(A, '10.0.0.21')).toEqual([false, 0]);
  expect(told(A)).toEqual({ ...before, seenAt: now() });
  // It is silent for looks, and is heard: that starts its time of grace anew.
  for (let i = 0; i < 4; i++) cycle([router]);
  expect(hear(A, '10.0.0.20')).toEqual([false, 0]);
  for (let i = 0; i < 4; i++) cycle([router]);
  expect(known.get(A)?.presence.online).toBe(true);
});

test('who comes back is online with its first sign, and keeps its address when it names none', async () => {
  const { hear, told, cycle } = await settled();
  for (let i = 0; i < 7; i++) cycle([router]);
  expect(told(A)).toMatchObject({ online: false });
  expect(hear(A, null)).toEqual([true, 1]);
  expect(told(A)).toMatchObject({ online: true, ip: '10.0.0.20' });
});

test('nobody takes the address of somebody who is online by saying so', async () => {
  const { hear, told } = await settled();
  expect(hear(NEW, '10.0.0.20')).toEqual([true, 1]);
  expect([told(NEW)?.ip, told(A)?.ip]).toEqual([null, '10.0.0.20']);
});

test('nothing is heard before a look has counted, where it has not, and in a network of somebody else', async () => {
  const fresh = await newKnown();
  expect(fresh.known.hear({ mac: NEW, ip: '10.0.0.30', heard: [] }, NETWORK.cidr, START)).toBe(false);
  const { known, hear, cycle } = await settled();
  cycle([]);
  expect(hear(NEW, '10.0.0.30')).toEqual([false, 0]);
  const strangers = Array.from({ length: 9 }, (_, i) => seen(macOf(100 + i), `10.0.0.${100 + i}`));
  cycle([seen('A4:77:33:00:00:FE', '10.0.0.254'), ...strangers]);
  expect(known.strange).toHaveLength(1);
  expect([hear(NEW, '10.0.0.30'), hear(A, '10.0.0.20')]).toEqual([
    [false, 0],
    [false, 0],
  ]);
  cycle();
  expect(known.hear({ mac: NEW, ip: '10.9.9.9', heard: [] }, '10.9.9.0/24', START)).toBe(false);
  expect(hear(NEW, '10.0.0.30')).toEqual([true, 1]);
});

test('who makes devices up gets no further than until the next look, and nowhere in a crowd; who is known is heard', async () => {
  const { known, hear, told, cycle } = await settled();
  for (let i = 0; i < 1_000; i++) hear(macOf(1_000 + i), null);
  expect(known.size).toBe(2 + 64);
  expect(hear(A, null)).toEqual([false, 0]);
  cycle();
  expect(hear(NEW, null)).toEqual([true, 1]);
  const crowd = Array.from({ length: 250 }, (_, i) => seen(macOf(300), `10.0.0.${i + 1}`));
  cycle([router, a, ...crowd]);
  expect(known.crowded).toEqual([NETWORK.cidr]);
  expect(hear(macOf(400), null)).toEqual([false, 0]);
  expect(told(macOf(400))).toBeUndefined();
});
