/** `GET /metrics`, as Prometheus and programs for NetAlertX read it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { addRuns } from '../demo/measured.ts';
import { COLLECTION } from '../support/fixtures.ts';
import { parsePrometheusText, sampleValue } from '../support/prometheus-text.ts';
import { testApi } from '../support/test-api.ts';

const system = testApi({ hasAgent: true });
beforeAll(async () => {
  await system.importCsv(COLLECTION);
});

async function metrics(query = '', token?: string) {
  const { status, headers, text } = await system.request('GET', `/metrics${query}`, { token });
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return parsePrometheusText(text);
}

test('the names of NetAlertX, without labels, for all sites of the token or for one; and our own', async () => {
  const site = await system.addSite('devName,devMAC,devStatus\nx,02:C0:00:00:00:01,online\ny,02:C0:00:00:00:02,down\n');
  const both = await system.createToken({ scopes: ['devices:read'], sites: ['home', site] });
  const numbersOf = async (query: string) => {
    const families = await metrics(query, both);
    return ['my', 'connected', 'offline', 'down', 'new', 'archived', 'favorite'].map((name) => {
      const family = families.get(`netalertx_${name}_devices`);
      expect(family?.samples.map(({ labels }) => labels)).toEqual([{}]);
      return family?.samples[0]?.value;
    });
  };
  expect(await numbersOf('?site=home')).toEqual([4, 1, 3, 1, 1, 1, 1]);
  expect(await numbersOf(`?site=${site}`)).toEqual([2, 1, 1, 1, 0, 0, 0]);
  expect(await numbersOf('')).toEqual([6, 2, 4, 2, 1, 1, 1]);
  // The numbers and the totals never disagree.
  expect((await system.request('GET', '/devices/totals')).json).toEqual([4, 1, 1, 1, 1, 1]);
  const families = await metrics('?site=home');
  const devices = (status: string) => sampleValue(families, 'lanreach_devices', { site: 'home', status });
  expect(['online', 'offline', 'down', 'archived'].map(devices)).toEqual([1, 2, 1, 1]);
  const agents = (state: string) => sampleValue(families, 'lanreach_agents', { site: 'home', state });
  expect(['online', 'offline', 'draining', 'enrolling'].map(agents)).toEqual([1, 0, 0, 0]);
  expect(sampleValue(families, 'lanreach_site_stale', { site: 'home' })).toBe(0);
});

test('one series for each device only on request, with the labels of NetAlertX', async () => {
  expect((await metrics()).get('netalertx_device_status')).toBeUndefined();
  const site = await system.addSite(
    'devName,devMAC,devIP\n"a ""b"" \\ c",02:D0:00:00:00:01,10.0.0.1\nsame,,\nsame,,\n',
  );
  const { samples = [] } = (await metrics(`?site=${site}&devices=true`)).get('netalertx_device_status') ?? {};
  expect(samples).toHaveLength(2); // Two series may not look the same.
  expect(samples[0]?.labels).toEqual({
    ...{ site, device: 'a "b" \\ c', mac: '02:D0:00:00:00:01', ip: '10.0.0.1', vendor: '', dev_type: '' },
    first_connection: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    ...{ last_connection: '', device_status: 'Offline' },
  });
});

test('requests by operation and status, and commands by tool and outcome; never a path or a MAC address', async () => {
  const before = await metrics();
  await system.request('GET', '/devices/02:A0:00:00:00:01');
  await system.request('GET', '/devices/02:A0:00:00:00:99');
  await system.request('GET', '/no/such/path');
  await system.request('GET', '/nettools/interfaces');
  const change = async (name: string, labels: Record<string, string>, suffix = '') => {
    const after = await metrics();
    return (sampleValue(after, name, labels, suffix) ?? 0) - (sampleValue(before, name, labels, suffix) ?? 0);
  };
  const requests = 'lanreach_http_requests_total';
  expect(await change(requests, { operation: 'getDevice', status: '200' })).toBe(1);
  expect(await change(requests, { operation: 'getDevice', status: '404' })).toBe(1);
  expect(await change(requests, { operation: 'none', status: '404' })).toBe(1);
  expect(await change('lanreach_http_request_duration_seconds', { operation: 'getDevice' }, '_count')).toBe(2);
  const command = { tool: 'interfaces', outcome: 'succeeded' };
  await expect.poll(() => change('lanreach_commands_total', command)).toBe(1);
  expect(await change('lanreach_command_duration_seconds', { tool: 'interfaces' }, '_count')).toBe(1);
  const { text } = await system.request('GET', '/metrics');
  expect(text).not.toMatch(/02:A0|such\/path/);
});

test('a token for some sites sees no numbers of the whole process, and none of other sites', async () => {
  const site = await system.addSite();
  const limited = await system.createToken({ scopes: ['devices:read'], sites: [site] });
  const families = await metrics('', limited);
  expect([...families.keys()].filter((name) => /_total$|_duration_seconds$|^process_/.test(name))).toEqual([]);
  expect(new Set(families.get('lanreach_devices')?.samples.map(({ labels }) => labels.site))).toEqual(new Set([site]));
  for (const other of ['home', 'nowhere']) {
    expect((await system.request('GET', `/metrics?site=${other}`, { token: limited })).status).toBe(403);
  }
});

test('a token of a tag sees a site that is named only if it has the tag', async () => {
  const mine = await system.addSite();
  const other = await system.addSite('devName,devMAC\nsecret nas,02:C0:00:00:00:09\n');
  await system.request('PATCH', `/sites/${mine}`, { body: { tags: ['mine'] } });
  const token = await system.createToken({ scopes: ['devices:read'], sites: ['tag:mine'] });
  for (const query of [`?sites=${other}&devices=true`, `?sites=${mine},${other}&devices=true`]) {
    const { text } = await system.request('GET', `/metrics${query}`, { token });
    expect([text.includes('secret nas'), text.includes(other)]).toEqual([false, false]);
  }
  const seen = (await metrics(`?sites=${mine}`, token)).get('lanreach_devices')?.samples ?? [];
  expect(new Set(seen.map(({ labels }) => labels.site))).toEqual(new Set([mine]));
});

describe('the files in docs/monitoring name metrics and labels that are there', () => {
  const read = (file: string) =>
    readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'monitoring', file), 'utf8');
  /** Prometheus adds this one, for each target. */
  const OF_PROMETHEUS = new Map([['up', ['job', 'instance']]]);
  let known: Map<string, string[]>;

  beforeAll(async () => {
    const body = { kind: 'ping', device: '02:A0:00:00:00:01', label: 'router' };
    const { json } = await system.request('POST', '/checks', { site: 'home', body });
    await addRuns(system, 'home', [(json as { id: string }).id], { hours: 1 });
    await system.request('GET', '/nettools/interfaces');
    const samples = [...(await metrics())].flatMap(([, family]) => family.samples);
    known = new Map([...OF_PROMETHEUS, ...samples.map(({ name, labels }) => [name, Object.keys(labels)] as const)]);
  });

  /** What of an expression is not there, and the labels of its result. */
  function understood(expr: string) {
    const selectors = [...expr.matchAll(/\b(up|[a-z]+_[a-z_]+)\b(?![\s(]*\()(?:\{([^}]*)\})?/g)].filter(
      ([, name = '']) => !/^(?:histogram_quantile|avg_over_time)$/.test(name),
    );
    const unknown = selectors.flatMap(([, name = '', inner = '']) => {
      const labels = known.get(name);
      if (labels === undefined) return [name];
      const chosen = [...inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
      return chosen.filter((label) => !labels.includes(label)).map((label) => `${name}{${label}}`);
    });
    const all = selectors.flatMap(([, name = '']) => known.get(name) ?? []);
    const by = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ');
    return {
      names: selectors.length,
      unknown: [...unknown, ...(by ?? []).filter((one) => !all.includes(one))],
      labels: by ?? all,
    };
  }

  function expectKnown(title: string, expr: string, named: Iterable<RegExpExecArray>) {
    const { names, unknown, labels } = understood(expr);
    expect([title, names > 0, unknown]).toEqual([title, true, []]);
    for (const [, label] of named) expect([title, labels]).toContainEqual(expect.arrayContaining([label]));
  }

  test('the dashboard of Grafana', () => {
    const { panels, templating } = JSON.parse(read('grafana-dashboard.json')) as {
      panels: { id: number; title: string; targets: { expr: string; legendFormat: string }[] }[];
      templating: { list: { name: string; definition?: string }[] };
    };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const variables = templating.list.map(({ name }) => name);
    for (const { title, targets } of panels)
      for (const { expr, legendFormat } of targets) {
        expectKnown(title, expr, legendFormat.matchAll(/\{\{(\w+)\}\}/g));
        for (const [, variable] of expr.matchAll(/\$(\w+)/g)) expect(variables).toContain(variable);
      }
    expect(templating.list.find(({ name }) => name === 'site')?.definition).toBe(
      'label_values(lanreach_devices, site)',
    );
    expect(known.get('lanreach_devices')).toContain('site');
  });

  test('the alert rules of Prometheus', () => {
    type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: object };
    const { groups } = parse(read('prometheus-rules.yml')) as { groups: { rules: Rule[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, expr, labels, annotations } of rules) {
      expectKnown(alert, expr, JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g));
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
    }
  });

  test('a name or label that is not there is found', () => {
    expect(understood('sum by (colour) (lanreach_gone{site="x"} + lanreach_devices{shape="x"})').unknown).toEqual([
      'lanreach_gone',
      'lanreach_devices{shape}',
      'colour',
    ]);
  });
});
