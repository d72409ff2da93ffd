/** `/nettools` from the HTTP request to the real agent and back, on this machine: what needs no other host. */
import { expect, test } from 'vitest';
import { nettools } from '../shared/api/nettools.ts';
import { sharedSystem } from './support/shared-system.ts';

const system = sharedSystem();

const post = (path: string, body: unknown) => system.request('POST', `/nettools/${path}`, { body });

test('interfaces: the loopback interface as the kernel shows it', async () => {
  const { status, json } = await system.request('GET', '/nettools/interfaces');
  expect(status).toBe(200);
  const { interfaces } = nettools.interfaces.response.parse(json);
  expect(interfaces.lo).toMatchObject({ name: 'lo', type: 'loopback', state: 'up', mac: null, ipv4: ['127.0.0.1/8'] });
});

test.each(['skipdiscovery', 'detail'])(
  'nmap on loopback, %s: mode and target are echoed, the report comes in lines',
  async (wanted) => {
    const { status, json } = await post('nmap', { scan: '127.0.0.1', mode: wanted });
    expect(status).toBe(200);
    const { mode, ip, output } = nettools.nmap.response.parse(json);
    expect({ mode, ip }).toEqual({ mode: wanted, ip: '127.0.0.1' });
    expect(output.join('\n')).toContain('Nmap scan report for 127.0.0.1');
  },
);

test('what the policy of the agent refuses is 403, with its reason', async () => {
  const { status, json } = await post('nmap', { scan: '10.0.0.0/8', mode: 'fast' });
  const refused = { code: 'target_not_allowed', message: expect.stringMatching(/^Cannot run nmap: .*1024/) };
  expect([status, json]).toMatchObject([403, refused]);
});

test.each(['fe80::1%nosuchif0', 'fe80::1%25lo'])(
  'a zone is taken only when the interface exists on the host of the agent: %s',
  async (devLastIP) => {
    const { status, json } = await post('traceroute', { devLastIP });
    expect([status, json]).toMatchObject([400, { errors: [{ path: 'devLastIP' }] }]);
  },
);

test('many at once: each caller gets its own answer', async () => {
  const targets = Array.from({ length: 24 }, (_, i) => `127.0.${i}.1`);
  const answers = await Promise.all(targets.map((devLastIP) => post('traceroute', { devLastIP })));
  for (const [i, { status, json }] of answers.entries()) {
    if (status === 503) expect(json).toMatchObject({ code: 'agent_busy' });
    else expect((json as { output: string }).output).toContain(`traceroute to ${targets[i]} `);
  }
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(8);
});
