import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Lab, labSupport, startLab } from '../../lab/lab.ts';
import { type Inside, startInside } from '../../lab/system-inside.ts';
import { connectAssistant, REVISIONS } from '../../mcp-client.ts';

const unsupported = labSupport();
if (unsupported !== null) console.warn(`The tools of MCP are not tested in the lab: ${unsupported}`);

describe.skipIf(unsupported !== null)('an assistant in the lab', () => {
  let lab: Lab;
  let inside: Inside;

  beforeAll(async () => {
    lab = await startLab();
    const { INTERNET } = lab.truth;
    inside = await startInside(lab, 'assisted', 8790, {
      DISCOVER: 'auto',
      INTERNET_INFO_URL: `${INTERNET.info}/good`,
      SPEEDTEST_SERVER: INTERNET.speedtest,
    });
  });
  afterAll(async () => {
    await lab?.close();
  });

  const connect = (revision: (typeof REVISIONS)[number]) => connectAssistant(inside.url, inside.token, { revision });

  test('a target outside of the policy is refused, and the model is told not to try other ways', async () => {
    await using one = await connect(REVISIONS[0]);
    const { isError, text } = await one.call('run_nmap', { target: lab.truth.bare(lab.truth.INTERNET.ipv4) });
    expect([isError, text]).toEqual([true, expect.stringMatching(/target_not_allowed[\s\S]*tell the user/)]);
  });

  test.each(REVISIONS)(
    '%s: a long scan tells how far it is; when nobody waits any more, it is stopped',
    async (revision) => {
      await using one = await connect(revision);
      const gone = new AbortController();
      const told: number[] = [];
      const call = one.call(
        'run_nmap',
        { target: '10.77.1.0/24', mode: 'detail' },
        {
          signal: gone.signal,
          onprogress: ({ progress }) => {
            told.push(progress);
            if (told.length !== 2) return;
            // Before 2026-07-28 the word that a call is cancelled is a request of its own, which a server without sessions
            // cannot match with a call: there it is the end of the connection that counts.
            if (revision === REVISIONS[0]) gone.abort();
            else void one.client.close();
          },
        },
      );
      await expect(call).rejects.toThrow();
      expect(told).toEqual([...new Set(told)].sort((a, b) => a - b));
      const newest = async () => {
        const { jobs } = (await (await inside.request('GET', '/jobs?tool=nmap&limit=1')).json()) as { jobs: object[] };
        return jobs[0];
      };
      await expect.poll(newest).toMatchObject({ request: { mode: 'detail' }, state: 'cancelled' });
      const { entries } = (await (await inside.request('GET', '/audit?site=home&limit=20')).json()) as {
        entries: { action: string }[];
      };
      expect(entries.map(({ action }) => action)).toContain('job.cancel');
    },
  );
});
