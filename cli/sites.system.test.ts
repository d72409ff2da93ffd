/** Sites, agents, their updates, hooks and checks. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Mailer } from '../functions/hooks/mailer.ts';
import { lastPeriod } from '../shared/report-period.ts';
import { startReceiver, status } from '../test/hooks/receiver.ts';
import { says, useCommandLine, useListeningApi } from '../test/support/cli/command-line.ts';
import { type StandIn, startObedientAgent } from '../test/support/enrolled-agent.ts';
import { writeRelease } from '../test/support/made-up-release.ts';
import { makeTestFolder } from '../test/support/test-folder.ts';

const release = makeTestFolder();
beforeAll(() => writeRelease(join(release.path, 'release'), '0.2.0'));
const mail: Mailer = { from: 'lan@example.net', send: async () => ({ isDelivered: true, status: 250 }) };
const api = useListeningApi({
  mail,
  privateHooks: true,
  delivers: true,
  releasesFolder: join(release.path, 'release'),
});
let agent: StandIn;
beforeAll(async () => {
  agent = await startObedientAgent(api(), 'home', 'main');
});
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await release.remove();
});
const line = useCommandLine(api);
const { run, json } = line;

test('all sites in one table, and as JSON', async () => {
  expect((await run(['site', 'add', 'annex', '--name', 'The annex'])).code).toBe(0);
  const shown = await run(['overview']);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  const [heading, ...lines] = shown.stdout.trimEnd().split('\n');
  expect(heading).toMatch(/^SITE +NAME +DEVICES +ONLINE +DOWN +NEW +UNKNOWN +AGENTS +LAST CHANGE +STALE SINCE$/);
  const annex = lines.find((line) => line.startsWith('annex '))?.split(/ {2,}/);
  expect(annex).toEqual(['annex', 'The annex', '0', '0', '0', '0', '0', '0 of 0 online', 'none yet', '-']);
  expect(lines.find((line) => line.startsWith('home '))).toContain('1 of 1 online');
  const { sites, nextCursor } = await json('overview');
  expect(sites.map(({ id }: { id: string }) => id)).toEqual(lines.map((line) => line.split(' ')[0]));
  expect(nextCursor).toBeNull();
  expect((await run(['site', 'remove', 'annex', '--yes'])).code).toBe(0);
});

test('a site is added and listed; a second of its name is refused', async () => {
  const added = await run(['site', 'add', 'cabin', '--name', 'Cabin by the lake']);
  expect(added).toMatchObject({ code: 0, stdout: 'cabin\n' });
  expect((await run(['site', 'list'])).stdout).toMatch(
    /^SITE +NAME +TAGS +CREATED +DISCOVERY +STALE SINCE\n(?:.+\n)*?cabin +Cabin by the lake +- +20\S+ +off +-\n/,
  );
  expect((await json('site', 'list')).sites).toHaveLength(2);
  expect(await run(['site', 'add', 'cabin'])).toMatchObject({ code: 1, stdout: '' });
  expect((await run(['site', 'add', 'No Site'])).code).toBe(2);
});

test('an agent is announced with the one line to paste on its host', async () => {
  const made = await run(['agent', 'enrol', '--site', 'home', '--name', 'attic']);
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(
    new RegExp(`^curl -fsSL ${api().url}/agent/install\\.sh \\| sh -s -- --url ${api().url} --code lre_[\\w-]+\n$`),
  );
  expect(made.stderr).toContain('installs the agent 0.2.0');
  expect(made.stderr).toContain('home:attic');
  expect(made.stderr).toMatch(/once, until 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d /);
  expect(made.stderr).toMatch(/this host only\. For another one: HOST=0\.0\.0\.0 npm start/);
  expect(await json('agent', 'enrol', '--site', 'home', '--name', 'attic')).toMatchObject({
    success: true,
    agent: 'home:attic',
    code: expect.stringMatching(/^lre_/),
    expiresAt: expect.any(String),
  });
  // Without a name it is the main one, and home has one.
  const taken = await run(['agent', 'enrol', '--site', 'home']);
  expect(taken).toMatchObject({ code: 1, stdout: '' });
  expect(taken.stderr).toMatch(/agent home:main exists already.*--replace/);
  const replacing = await run(['agent', 'enrol', '--site', 'home', '--replace']);
  expect(replacing).toMatchObject({ code: 0, stdout: expect.stringMatching(/--code lre_[\w-]+\n$/) });
  expect(replacing.stderr).toContain('If there is an agent home:main when the code is used, it is disconnected');
  expect((await run(['agent', 'list'])).stdout).toMatch(/^home:main +online /m);
  expect((await json('agent', 'list', '--site', 'home')).agents[0]).toMatchObject({ id: 'home:main' });
  expect((await run(['agent', 'list', '--site', 'nowhere'])).code).toBe(3);
});

test('updates of a site are set, shown, and refused as what they are not; a release that stopped goes on', async () => {
  await run(['site', 'add', 'updated']);
  const set = (...options: string[]) => run(['site', 'set', 'updated', ...options]);
  expect((await run(['site', 'show', 'updated'])).stdout).toMatch(/^updates +notify$/m);
  expect((await set('--updates', 'auto', '--update-window', '22:00-06:00')).stdout).toMatch(
    /^updates +auto, 22:00-06:00$/m,
  );
  expect((await set('--update-window', '')).stdout).toMatch(/^updates +auto$/m);
  expect(await set('--updates', 'sometimes')).toMatchObject({ code: 2, stdout: '' });
  expect(await set('--update-window', 'at night')).toMatchObject({ code: 2, stdout: '' });
  const failures = [{ agent: 'updated:attic', reason: 'it died', at: Date.UTC(2026, 10, 26) }];
  const ring = { ring: 1, since: Date.now(), size: 1, well: 0, early: {}, underWay: {} } as const;
  const { write } = await api().context.rollOuts.read({ consistent: true });
  await write({ version: '0.9.0', state: 'stopped', ...ring, failures });
  const shown = (await run(['update', 'show'])).stdout;
  expect(shown).toMatch(/^rolled out +0\.9\.0, stopped$/m);
  expect(shown).toMatch(/^updated:attic +failed at 2026-11-26T00:00:00\.000Z: it died$/m);
  expect((await run(['update', 'continue', '0.9.0'])).stdout).toMatch(/^rolled out +0\.9\.0, going$/m);
  expect((await run(['update', 'give-up', '0.9.0'])).stdout).toMatch(/^rolled out +0\.9\.0, given-up$/m);
  expect((await run(['update', 'go-on', '0.9.1'])).code).toBe(1);
});

test('the audit names who did what, and from which address', async () => {
  await run(['site', 'add', 'audited']);
  const { code, stdout } = await run(['audit', '--site', 'audited', '--limit', '1']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^TIME +ACTOR +ADDRESS +ACTION +DETAILS +OUTCOME\n/);
  expect(stdout).toMatch(/^20\S+Z +\S.* +127\.0\.0\.1 +site\.add +name=audited +done$/m);
});

test('a site is told to watch its LAN, which its row in the list and its settings show', async () => {
  await json('site', 'add', 'stable', '--name', 'Old stable');
  const on = await run('site discover stable on --network 127.0.7.0/24 127.0.8.0/24 --interval 90'.split(' '));
  expect(on).toMatchObject(says(0, /^No agent of stable is connected/));
  expect(on.stdout).toMatch(
    /^discovery +on, every 90 s\nnetworks +127\.0\.7\.0\/24 127\.0\.8\.0\/24\nstale since +20/m,
  );
  const { stdout: listed } = await run(['site', 'list']);
  expect(listed).toMatch(/^stable +Old stable +- +\S+ +127\.0\.7\.0\/24 127\.0\.8\.0\/24 +20/m);
  const [first, second] = ['00:0D:B9:00:00:01', '00:0D:B9:00:00:02'];
  await run(['site', 'discover', 'stable', 'on', '--gateway', first.toLowerCase()]);
  expect((await run(['site', 'discover', 'stable', 'on', '--gateway', second])).stdout).toMatch(
    new RegExp(`^gateways +${first} ${second}$`, 'm'),
  );
  await json(...'site discover stable off --network auto'.split(' '));
  expect((await run(['site', 'show', 'stable'])).stdout).toMatch(
    /^discovery +off\nnetworks +auto\ngateways .*\nstale since +-\n/m,
  );
});

test('discovery that is neither on nor off, or goes too far, is wrong usage', async () => {
  for (const [words, why] of [
    ['maybe', /Expected on or off/],
    ['on --network 10.0.0.0/8', /^lanreach: --network: /],
  ] as const)
    expect(await run(`site discover home ${words}`.split(' '))).toMatchObject(says(2, why));
});

test('a site is removed when its name is said', async () => {
  await json('site', 'add', 'mill', '--name', 'Old mill');
  expect(await run(['site', 'remove', 'mill'])).toMatchObject(
    says(2, /"Old mill".*There is no terminal to confirm it: use --yes/),
  );
  expect(await run(['site', 'remove', 'mill', 'mill', '--yes'])).toMatchObject(
    says(2, /expected the name of the site, "Old mill"/),
  );
  expect(await run(['site', 'remove', 'mill', '--yes', 'Old mill'])).toMatchObject({ code: 0, stdout: '' });
  expect((await run(['site', 'show', 'mill'])).code).toBe(3);
  expect((await run(['site', 'list', '--deleted'])).stdout).toMatch(/^mill +Old mill +- +20\S+ +[0-9a-f]{16} +20\S+$/m);
  expect(await run(['site', 'restore', 'mill'])).toMatchObject({
    code: 0,
    stdout: 'mill\n',
    stderr: expect.stringContaining('The site mill is back'),
  });
  expect((await json('site', 'show', 'mill')).name).toBe('Old mill');
  expect((await run(['site', 'restore', 'mill'])).code).toBe(1);
  expect((await run(['site', 'remove', 'mill', '--yes'])).stderr).toMatch(/Until 20\S+: lanreach site restore mill/);
});

test('e-mail: an address is enough, and a report is sent to it and shown here', async () => {
  const added = await run(['notifications', 'add', '--email', 'me@example.org']);
  expect(added.stdout).toMatch(/^url +mailto:me@example\.org\nformat +email$/m);
  expect(added.stdout).toMatch(/^events +new, down, .*outage/m);
  const [, id = ''] = /^id +(\S+)$/m.exec(added.stdout) ?? [];
  expect((await run(['notifications', 'test', id])).stdout).toMatch(/^state +delivered$/m);
  const report = (text: string) => run(['notifications', 'set', id, '--report', text]);
  expect((await report('monthly@07:00,de')).stdout).toMatch(/^report +monthly@07:00,de$/m);
  expect((await report('daily@07:00')).stderr).toContain('Expected monthly@07:00');
  const two = await run(['notifications', 'add', '--email', 'a@example.org,b@example.org']);
  expect(two.stderr).toContain('one e-mail address');
  expect((await run(['notifications', 'remove', id, '--yes'])).code).toBe(0);
  const shown = await run(['report', '--sites', 'home', '--language', 'de']);
  expect(shown.stdout).toMatch(/ \(home\) · Bericht, [\s\S]*AUSFÄLLE\nKeine Ausfälle\./);
  const week = lastPeriod('week', 'UTC', new Date()).text;
  expect((await json('report', '--sites', 'home', '--week', week)).sites).toHaveLength(1);
  expect((await run(['report', '--month', '2026-13'])).stderr).toContain('Expected a month such as 2026-10.');
});

test('hooks: added with a URL out of a file, tested, changed, looked at, repeated and removed', async () => {
  await using receiver = await startReceiver();
  const file = join(line.folder, 'hook-url');
  await writeFile(file, `${receiver.url}/a-long-secret-path\n`);
  const added = await run(['hooks', 'add', '--event', 'new', 'down', '--url-file', file]);
  expect([added.code, added.stdout]).toMatchObject([0, expect.stringMatching(/^secret +whsec_\S+$/m)]);
  expect(added.stdout).not.toContain('a-long-secret');
  const [, id = ''] = /^id +(\S+)$/m.exec(added.stdout) ?? [];
  const tested = await run(['hooks', 'test', id]);
  expect([tested.code, tested.stdout]).toMatchObject([0, expect.stringMatching(/^state +delivered$/m)]);
  receiver.answer = status(500);
  const failed = await run(['hooks', 'test', id]);
  expect([failed.code, failed.stderr]).toMatchObject([1, expect.stringContaining('it answered 500')]);
  expect((await run(['hooks', 'list'])).stdout).toMatch(new RegExp(`failing since .* ${id}$`, 'm'));
  receiver.answer = status(200);
  const { deliveries } = await json('hooks', 'deliveries', id, '--state', 'delivered');
  expect(deliveries).toMatchObject([{ event: 'test' }]);
  const changed = await run(['hooks', 'set', id, '--enabled', 'off', '--new-secret', '--format', 'slack']);
  expect(changed.stdout).toMatch(/^state +disabled$/m);
  expect(changed.stdout).toMatch(/^secret +whsec_/m);
  expect((await run(['hooks', 'show', id])).stdout).toMatch(/^format +slack$/m);
  const rules = '--name Phones --quiet 22:00-07:00 --quiet-except down --only type:NAS favourites'.split(' ');
  expect((await run(['notifications', 'set', id, ...rules])).stdout).toMatch(
    /^name +Phones$[\s\S]*^of +type:NAS, favourites$[\s\S]*^quiet +22:00-07:00 \(not down\)$/m,
  );
  expect((await run(['notifications', 'set', id, '--quiet', 'none', '--digest', 'none'])).stdout).toMatch(
    /^digest +none\nquiet +none$/m,
  );
  expect((await run(['notifications', 'set', id, '--only', 'kind:x'])).stderr).toContain('expected type:<type>');
  expect((await run(['notifications', 'try', '--url-file', file])).stdout).toMatch(/^delivered +yes$/m);
  expect((await run(['notifications', 'remove', id, '--yes'])).code).toBe(0);
  expect((await run(['hooks', 'show', id])).code).toBe(4);
  expect((await run(['hooks', 'add', '--event', 'new'])).code).toBe(2);
});

test('checks: added for devices, hosts and sites, listed, paused, changed, removed; the matrix', async () => {
  const site = ['--site', 'checked'];
  await run(['site', 'add', 'checked']);
  await writeFile(join(line.folder, 'checked.csv'), 'devName,devMAC,devIP\nnas,02:A0:00:00:00:02,192.168.1.20\n');
  await run(['devices', 'import', join(line.folder, 'checked.csv'), ...site]);
  const added = await run(['check', 'add', 'tcp', 'NAS', '445', '--every', '5m', '--label', 'files', ...site]);
  expect([added.code, added.stdout]).toMatchObject([0, expect.stringMatching(/^target +02:A0:00:00:00:02 445$/m)]);
  expect(added.stdout).toMatch(/^every +300 s$/m);
  expect(added.stderr).toMatch(/lanreach check show [0-9a-f]{12} --site checked/);
  for (const [asked, shown] of [
    [['ping', '192.168.1.1'], 'ping +192.168.1.1'],
    [['ping', 'printer.lan', '--agents', 'auto'], 'ping +printer.lan'],
    [['http', 'https://nas.lan/', '--status', '200,401'], 'http +https://nas.lan/'],
    [['dns', 'example.org', '--record', 'aaaa'], 'dns +example.org AAAA'],
    [['internet', '--anchor', '1.1.1.1', '9.9.9.9'], 'internet +1.1.1.1 9.9.9.9'],
  ] as const) {
    expect((await run(['check', 'add', ...asked, ...site])).code).toBe(0);
    expect((await run(['check', 'list', ...site])).stdout).toMatch(
      new RegExp(` unknown +- +${shown.replace(' +', ' +')}`, 'm'),
    );
  }
  expect(await run(['check', 'add', 'ping', 'nass', ...site])).toMatchObject({ code: 4 });
  expect(await run(['check', 'add', 'ping', 'nas', '--every', '5', ...site])).toMatchObject({ code: 2 });
  expect((await run(['check', 'list', '--device', 'nas', ...site])).stdout.trim().split('\n')).toHaveLength(2);
  expect((await run(['check', 'pause', 'Files', ...site])).stdout).toMatch(/^state +paused$/m);
  expect((await run(['check', 'resume', 'files', ...site])).stdout).toMatch(/^state +unknown$/m);
  expect((await run(['check', 'set', 'files', '--every', '1h', ...site])).stdout).toMatch(/^every +3600 s$/m);
  expect((await run(['check', 'remove', 'files', '--yes', ...site])).code).toBe(0);
  expect((await run(['check', 'show', 'files', ...site])).code).toBe(4);

  await run(['site', 'add', 'seen']);
  const refused = await run(['check', 'add', 'site', 'seen', ...site]);
  expect([refused.code, refused.stderr]).toMatchObject([2, expect.stringContaining('reachable')]);
  const matrix = await run(['check', 'matrix', 'checked,seen', '--add']);
  expect(matrix.stderr).toContain('0 checks are added');
  expect(matrix.stderr).toContain('No site can reach checked, seen');
});

test('tags: given, taken, listed, completed; what is given to a tag holds for its sites', async () => {
  await run(['site', 'add', 'grove', '--tag', 'farms', 'far']);
  await run(['site', 'add', 'field']);
  expect((await run(['site', 'tag', 'field', '+farms', '+new'])).stdout).toMatch(/^tags +farms new$/m);
  expect((await run(['site', 'tag', 'field', '-new', '+farms'])).stdout).toMatch(/^tags +farms$/m);
  expect(await run(['site', 'tag', 'field', 'farms'])).toMatchObject({ code: 2 });
  const { sites } = await json('site', 'list', '--sites', 'tag:farms');
  expect(sites.map(({ id }: { id: string }) => id)).toEqual(['field', 'grove']);
  expect((await run(['overview', '--sites', 'tag:far'])).stdout.trim().split('\n')).toHaveLength(2);
  const schedule = ['schedule', 'add', 'links', '--tool', 'interfaces', '--every', '1h', '--sites', 'tag:farms'];
  expect(await json(...schedule)).toMatchObject({ name: 'links', tags: ['farms'], sites: { count: 2, made: 2 } });
  expect(await run(schedule)).toMatchObject(says(1, 'a template "links" already'));
  const check = await run(['check', 'add', 'ping', '192.168.1.1', '--label', 'Way out', '--sites', 'tag:farms']);
  expect(check).toMatchObject(says(0, 'template way-out makes it at 2 of 2 sites'));
  const hook = ['hook', 'add', '--to', 'https://hooks.example.org/x', '--event', 'new', '--sites', 'tag:farms'];
  expect((await run(hook)).stderr).toContain('--name <name>');
  expect((await run([...hook, '--name', 'Team'])).stderr).toMatch(/not shown again: whsec_/);
  expect((await run([...schedule, 'field,tag:far'])).code).toBe(2);
  // A later site gets them, and one without the tag loses them.
  await run(['site', 'add', 'meadow', '--tag', 'farms']);
  await run(['site', 'tag', 'grove', '-farms']);
  for (const [site, count] of [
    ['meadow', 1],
    ['grove', 0],
  ] as const) {
    expect((await json('schedule', 'list', '--site', site)).schedules).toHaveLength(count);
    expect((await json('check', 'list', '--site', site)).checks).toHaveLength(count);
    expect((await json('hook', 'list', '--site', site)).hooks).toHaveLength(count);
  }
  expect((await run(['template', 'remove', 'team', '--yes'])).code).toBe(0);
  expect((await json('hook', 'list', '--site', 'meadow')).hooks).toHaveLength(0);
  const completed = await run(['complete', '--', 'overview', '--sites', 'field,t']);
  expect(completed.stdout).toMatch(/^field,tag:farms\b/m);
});

const DECLARED = `
templates:
  - name: farms
    tags: [barns]
    settings: { timeZone: Europe/Berlin, policy: { deny: [speedtest] } }
    checks: [{ label: way out, kind: internet }]
sites:
  - id: barn
    name: The barn
    tags: [barns]
    settings: { reachableAt: barn.example.org, discovery: { intervalSeconds: 90 } }
    schedules:
      - { name: nightly, tool: nmap, arguments: { scan: 192.168.1.9/24, mode: fast }, cron: 0 2 * * * }
    checks:
      - { label: nas, kind: ping, host: 192.168.1.20, everySeconds: 300 }
    hooks:
      - { name: team, url: "\${BARN_HOOK}", events: [down] }
    devices:
      - { mac: 02-a0-00-00-00-07, name: nas, owner: Kim, favorite: true }
prune: { schedules: true }
`;

test('a file of sites: planned, applied, in place, with drift, and in conflict with somebody else', async () => {
  const file = join(line.folder, 'sites.yaml');
  await writeFile(file, DECLARED);
  const secret = 'https://hooks.example.org/a-long-secret-path';
  const env = { BARN_HOOK: secret };
  const plan = () => run(['plan', file], { env });
  const apply = (...more: string[]) => run(['apply', file, ...more], { env });

  expect(await run(['plan', file])).toMatchObject(says(1, 'BARN_HOOK'));
  const first = await plan();
  expect(first).toMatchObject({ code: 2, stderr: '6 to add, 0 to change, 0 to remove.\n' });
  expect(first.stdout).toMatch(/^\+ site barn$[\s\S]*^ +reachableAt: barn\.example\.org$/m);
  expect(await apply('--dry-run')).toMatchObject({ code: 0, stdout: first.stdout });
  expect(await apply()).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  const applied = await apply('--yes');
  expect(applied).toMatchObject(says(0, /^The secret of barn: team.* whsec_\S+\nApplied: 6 of 6\.$/m));
  expect(applied.stdout + first.stdout).not.toContain('secret-path');
  expect((await run(['site', 'show', 'barn'])).stdout).toMatch(
    /^time zone +Europe\/Berlin$[\s\S]*^not allowed +speedtest$/m,
  );
  const checks: { label: string }[] = (await json('check', 'list', '--site', 'barn')).checks;
  expect(checks.map(({ label }) => label).sort()).toEqual(['nas', 'way out']);
  expect((await run(['devices', 'show', 'nas', '--site', 'barn'])).stdout).toContain('Kim');
  expect((await run(['template', 'show', 'farms'])).stdout).toMatch(/^sites +1 of 1 are made$/m);

  // Applied twice, nothing is another one.
  expect(await plan()).toMatchObject({ code: 0, stdout: '' });
  expect(await apply('--yes')).toMatchObject({ code: 0, stdout: '', stderr: 'All is as the file says.\n' });

  // What others have changed is drift; what the file does not name is left alone, but what it prunes.
  const barn = ['--site', 'barn'];
  await run(['devices', 'set', 'nas', '--owner', 'Lou', ...barn]);
  await run(['check', 'set', 'nas', '--every', '1h', ...barn]);
  await run(['check', 'add', 'ping', '192.168.1.30', '--label', 'own', ...barn]);
  await run(['schedule', 'add', 'other', '--tool', 'interfaces', '--every', '1h', ...barn]);
  const drift = await plan();
  expect(drift).toMatchObject({ code: 2, stderr: '0 to add, 2 to change, 1 to remove.\n' });
  expect(drift.stdout).toMatch(
    /^- barn: schedule other\n~ barn: check nas\n +everySeconds: 3600 -> 300\n~ barn: device \S+\n +devOwner: Lou -> Kim$/m,
  );

  // Somebody changes one of these after the plan was shown, and before it is agreed to.
  const typed = async function* () {
    await run(['devices', 'set', 'nas', '--owner', 'Max', ...barn]);
    yield Buffer.from('y\n');
  };
  const late = await run(['apply', file], { env, isTerminal: true, input: typed() });
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('Nothing was done')]);
  expect((await run(['check', 'show', 'nas', ...barn])).stdout).toMatch(/^every +3600 s$/m);

  expect(await apply('--yes')).toMatchObject({ code: 0 });
  expect(await plan()).toMatchObject({ code: 0, stdout: '' });
  expect((await json('check', 'list', ...barn)).checks).toHaveLength(3);
  expect((await json('schedule', 'list', ...barn)).schedules).toHaveLength(1);

  // What is there becomes a file, which says the same.
  const written = join(line.folder, 'written.yaml');
  expect((await run(['plan', '--export', '--sites', 'barn', '--devices', '--output', written])).code).toBe(0);
  const text = await readFile(written, 'utf8');
  expect(text).toMatch(/url: \$\{LANREACH_HOOK_BARN_TEAM\}/);
  expect(text).not.toContain('hooks.example.org');
  const again = await run(['plan', written], { env: { LANREACH_HOOK_BARN_TEAM: secret } });
  expect([again.code, again.stdout]).toEqual([0, '']);

  await writeFile(file, 'sites: [{ id: barn, settings: { timeZone: Nowhere }, chekcs: [] }]');
  expect(await plan()).toMatchObject(says(1, /sites\.0\.settings\.timeZone: .*\n[\s\S]*chekcs/));
  // Also what only the service could have refused, after it had added the site.
  const schedules = [
    { name: 'often', tool: 'interfaces', cron: '* * * * *' },
    { name: 'wide', tool: 'nmap', arguments: { scan: '192.168.1.0/24', speed: 9 }, everySeconds: 3600 },
  ];
  await writeFile(
    file,
    JSON.stringify({ sites: [{ id: 'hut', schedules }], templates: [{ name: 'huts', tags: ['huts'], schedules }] }),
  );
  const refused = await apply('--yes');
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /templates\.0\.schedules\.0\.cron: [\s\S]*sites\.0\.schedules\.0\.cron: expected times that are at least five minutes apart\n[\s\S]*schedules\.1\.arguments\.speed: nmap has no such argument/,
    ),
  });
  expect((await run(['site', 'list'])).stdout).not.toContain('hut');
});
