/** Devices: in and out, listed, shown, changed. */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rows } from '../functions/table/rows.ts';
import { PROGRAM, says, useCommandLine, useListeningApi } from '../test/support/cli/command-line.ts';
import { startObedientAgent } from '../test/support/enrolled-agent.ts';

const api = useListeningApi();
const line = useCommandLine(api);
const { run, json, siteWith } = line;

test('devices come in, are listed, found and counted, and go out again', async () => {
  await run(['site', 'add', 'barn']);
  const file = join(line.folder, 'devices.csv');
  const csv =
    'devName,devMAC,devIP,devType,devFavorite,devStatus\r\n' +
    'router,00:1E:06:AA:BB:00,192.168.1.1,Router,1,online\r\n' +
    '"nas, big",00:1E:06:AA:BB:01,192.168.1.20,NAS,0,down\r\n';
  await writeFile(file, `${csv}broken\r\n`);
  const at = ['--site', 'barn'];
  const tried = await run(['devices', 'import', file, '--dry-run', ...at]);
  expect(tried.stdout).toBe('new      2\nupdated  0\ndeleted  0\n');
  const came = await run(['devices', 'import', file, ...at]);
  expect(came).toMatchObject({ code: 0, stdout: 'new      2\nupdated  0\ndeleted  0\n' });
  expect(came.stderr).toMatch(/^line 4 was skipped: /);

  expect((await run(['devices', 'list', ...at])).stdout).toBe(
    'NAME      IP            STATUS                            VENDOR  TYPE    SEEN\n' +
      'nas, big  192.168.1.20  not monitored, last known down    -       NAS     -\n' +
      '★ router  192.168.1.1   not monitored, last known online  -       Router  -\n',
  );
  const down = ['devices', 'list', '--status', 'down', ...at];
  expect((await run([...down, '--watched', 'no'])).stdout).toMatch(/\nnas, big .*\n$/);
  expect((await run(down)).stdout).not.toContain('nas');
  expect((await json('devices', 'list', '--port', '22', ...at)).devices).toEqual([]);
  expect((await run(['devices', 'list', '--port', 'ssh', ...at])).code).toBe(2);
  const foundInBarn =
    'NAME      SITE  IP            STATUS                          VENDOR\nnas, big  barn  192.168.1.20  not monitored, last known down  -\n';
  expect(await run(['search', 'nas,', '192.168.1.20', 'big'])).toEqual({ code: 0, stdout: foundInBarn, stderr: '' });
  expect((await run(['devices', 'list', '--columns', 'mac,name', ...at])).stdout).toBe(
    'MAC                NAME\n00:1E:06:AA:BB:01  nas, big\n00:1E:06:AA:BB:00  ★ router\n',
  );
  expect(JSON.parse((await run(['devices', 'list', '--json', 'name,ip', '--sort', 'mac', ...at])).stdout)).toEqual([
    { name: 'router', ip: '192.168.1.1' },
    { name: 'nas, big', ip: '192.168.1.20' },
  ]);
  const filtered = await run(['devices', 'list', '--jq', '.devices[] | select(.devType == "NAS") | .devMAC', ...at]);
  expect(filtered).toEqual({ code: 0, stdout: '00:1E:06:AA:BB:01\n', stderr: '' });
  expect(await run(['devices', 'list', '--jq', '.[', ...at])).toMatchObject(says(2, '--jq: '));
  expect((await run(['devices', 'list', '--columns', 'age', ...at])).stderr).toContain('There are: name, ip, status');
  expect((await run(['devices', 'list', '--json=age', ...at])).stderr).toContain('There is no field "age"');
  const listed = async (...options: string[]): Promise<string[]> => {
    const answer = await json('devices', 'list', ...options, ...at);
    return answer.devices.map(({ devName }: { devName: string }) => devName);
  };
  expect(await listed('--sort', '-mac')).toEqual(['nas, big', 'router']);
  expect(await listed('--type', 'Router', '--search', 'aa:bb')).toEqual(['router']);
  expect(await listed('--type', '')).toEqual([]);
  expect(await listed('--group', '', '--vendor', '', '--watched', 'no', '--status', 'down')).toEqual(['nas, big']);
  expect(await run(['devices', 'list', '--sort', 'age', ...at])).toMatchObject({ code: 2 });
  expect((await run(['devices', 'search', 'nas', ...at])).stdout).toMatch(/\nnas, big .*AA:BB:01\n$/);
  expect((await run(['devices', 'totals', ...at])).stdout).toMatch(/^my +2\nonline +1\n/);
  expect(await json('devices', 'totals', ...at)).toEqual([2, 1, 1, 0, 1, 0]);

  expect((await run(['devices', 'export', ...at])).stdout).toBe(csv);
  expect((await json('devices', 'export', ...at)).data).toHaveLength(2);
  const copy = join(line.folder, 'copy.csv');
  expect((await run(['devices', 'export', '--all-columns', '--output', copy, ...at])).stdout).toBe('');
  const again = await run(['devices', 'import', '-', ...at], { input: await readFile(copy, 'utf8') });
  expect(again.stdout).toBe('new      0\nupdated  2\ndeleted  0\n');
});

test('an import tells what it leaves out, changes and ignores', async () => {
  const changed = await run(['devices', 'import', '-', '--dry-run'], {
    input: `devMac,devParentMAC,My icon\n00:1E:06:AA:BB:01,the switch,x\n${'nonsense,,\n'.repeat(1_100)}`,
  });
  expect(changed.stderr).toMatch(/^100 more lines were skipped$/m);
  expect(changed.stderr).toMatch(/^line 2 was changed: devParentMAC: "the switch" is no MAC address; left as it was$/m);
  expect(changed.stderr).toMatch(/^ignored columns: My icon$/m);
});

test('names of devices cannot steer a terminal, and a pipe gets their exact bytes', async () => {
  await run(['site', 'add', 'hostile']);
  const name = 'tv\x1b]0;owned\x07\x9b2J\u202eend';
  const csv = `devName,devMAC,devIP,devType,devFavorite,devStatus\r\n"${name}",00:1E:06:AA:BB:00,,,0,offline\r\n`;
  const at = ['--site', 'hostile'];
  expect((await run(['devices', 'import', '-', ...at], { input: csv })).code).toBe(0);
  expect((await run(['devices', 'export', ...at])).stdout).toBe(csv);
  expect((await json('devices', 'list', ...at)).devices[0].devName).toBe(name);

  for (const words of ['list', 'export', 'export --json', 'list --json']) {
    const { code, stdout } = await run(['devices', ...words.split(' '), ...at], { isTerminal: true });
    expect([words, code, stdout]).toEqual([words, 0, expect.stringMatching(/tv.*owned.*2J.*end/)]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours
    const steering = stdout.replace(/\x1b\[\d+m/g, '').match(/[\p{Cc}\p{Bidi_Control}]/gu) ?? [];
    expect([words, steering.filter((c) => c !== '\r' && c !== '\n')]).toEqual([words, []]);
    if (words.includes('--json')) expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(name));
  }
});

test('one device: shown, set and forgotten by its MAC, its IP address, its name or its key, and brought back', async () => {
  const at = await siteWith(
    'one-device',
    'devName,devMac,devOwner,devLastIP\nrouter,001e06aabb00,,192.168.178.1\nnas,001e06aabb01,me,\nNAS,001e06aabb02,,\nsensor,,,\n',
  );
  const names = ['router', 'ROUTER', '00-1e-06-aa-bb-00', '192.168.178.1'];
  for (const shown of await Promise.all(names.map((name) => run(['devices', 'show', name, ...at])))) {
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Name +router$/m) });
  }
  expect(await run(['devices', 'show', 'nas', ...at])).toMatchObject(
    says(2, 'ambiguous: 2 devices are named "nas": 00:1E:06:AA:BB:01, 00:1E:06:AA:BB:02'),
  );
  expect(await run(['devices', 'forget', 'printer', ...at])).toMatchObject(says(4, 'No device is named "printer"'));
  expect((await run(['devices', 'forget', '', ...at])).code).toBe(2);

  const set = await json(...'devices set sensor --parent router --favorite on --location attic'.split(' '), ...at);
  expect(set).toMatchObject({ devParentMAC: '00:1E:06:AA:BB:00', devFavorite: 1, devLocation: 'attic', devMac: '' });
  expect(set.setByPerson).toEqual(['devName', 'devFavorite', 'devParentMAC', 'devLocation']);
  const named = 'devices set 001e.06aa.bb01 --name media --alert-down on --parent'.split(' ');
  const table = await run([...named, '', ...at]);
  expect(table.stdout).toMatch(/^Status +not monitored, last known down$/m);
  expect(table.stdout).toMatch(/^ {2}Alert when down +yes$/m);
  expect((await run(['devices', 'set', 'media', ...at])).stderr).toContain('Nothing to set');

  const forgotten = await run(['devices', 'forget', 'sensor', ...at]);
  const [, args = ''] = /lanreach (devices restore --change \d+ --site one-device)$/m.exec(forgotten.stderr) ?? [];
  expect((await run(['devices', 'show', 'sensor', ...at])).code).toBe(4);
  expect((await run([...args.split(' '), '--dry-run'])).stdout).toMatch(/^restored +1$/m);
  expect(await run(args.split(' '))).toMatchObject({ code: 0, stdout: expect.stringMatching(/^restored +1$/m) });
  expect(await json('devices', 'show', 'sensor', ...at)).toEqual(set);
});

test('a part of the name of one device is asked about on a terminal, and named elsewhere', async () => {
  const at = await siteWith(
    'alike',
    'devName,devMac\nwol.lab.test,001e06aabb00\nweb-1,001e06aabb01\nweb-2,001e06aabb02\n',
  );
  const show = ['devices', 'show', 'wol', ...at];
  expect(await run(show)).toEqual({
    code: 4,
    stdout: '',
    stderr: 'lanreach: No device is named "wol". Did you mean wol.lab.test?\n',
  });
  for (const input of ['\n', 'y\n']) {
    const agreed = await run(show, { isTerminal: true, input });
    expect(agreed).toMatchObject(says(0, 'Did you mean wol.lab.test? [Y/n] '));
    expect(agreed.stdout).toMatch(/^Name +wol\.lab\.test$/m);
  }
  expect((await run(show, { isTerminal: true, input: 'n\n' })).code).toBe(4);
  expect((await run(['devices', 'show', 'web', ...at], { isTerminal: true, input: '\n' })).stderr).toContain(
    'Did you mean web-1, web-2?',
  );
  const woken = await run(['wake', 'wol', ...at], { isTerminal: true, input: '\n' });
  // The site has no agent: that is said of the device which was meant.
  expect([woken.code, woken.stderr]).toEqual([5, expect.stringContaining('Did you mean wol.lab.test?')]);
});

test('several devices are set at once, by names and MACs; what is not there is said, and the others are set', async () => {
  const at = await siteWith('many-devices', 'devName,devMac\nrouter,001e06aabb00\nnas,001e06aabb01\nsensor,\n');
  const set = ['devices', 'set', 'NAS', '001e.06aa.bb00', 'sensor', 'nas', '--owner', 'me', ...at];
  const planned = await json(...set, '--dry-run');
  expect(planned).toEqual({ success: true, updated: 3, unchanged: 0, missing: [], change: null });
  expect((await run(set)).stdout).toMatch(/^updated +3\nunchanged +0\nmissing +0\nchange +\d+$/m);
  expect(await json(...set, '--dry-run')).toMatchObject({ updated: 0, unchanged: 3 });
  const parent = ['devices', 'set', 'nas', 'sensor', '--parent', 'router', '--favorite', 'on', ...at];
  expect(await json(...parent)).toMatchObject({ updated: 2 });
  const sensor = { devOwner: 'me', devParentMAC: '00:1E:06:AA:BB:00', devFavorite: 1 };
  expect(await json('devices', 'show', 'sensor', ...at)).toMatchObject(sensor);
  // One by two names is one device.
  const twice = await json('devices', 'set', 'nas', '001e06aabb01', '--owner', 'you', ...at);
  expect(twice).toMatchObject({ devName: 'nas', devOwner: 'you' });

  const absent = await run(['devices', 'set', 'nas', '001e06aabb09', '--group', 'lab', ...at]);
  expect(absent).toMatchObject({
    code: 4,
    stdout: expect.stringMatching(/^updated +1$/m),
    stderr: expect.stringContaining('Not in the collection, and so not changed: 00:1E:06:AA:BB:09'),
  });
  const unnamed = await run(['devices', 'set', 'nas', 'printer', '--group', 'office', ...at]);
  expect(unnamed).toMatchObject(says(4, 'No device is named "printer"'));
  expect(await json('devices', 'show', 'nas', ...at)).toMatchObject({ devGroup: 'lab' });
  const loop = await run(['devices', 'set', 'router', 'sensor', '--parent', 'nas', ...at]);
  expect(loop).toMatchObject(says(2, '--parent: '));
  expect((await run(['devices', 'set', 'router', 'nas', ...at])).stderr).toContain('Nothing to set');
});

test('ports: scanned by the name of a device, and shown with it, as are its extra columns', async () => {
  const file = join(line.folder, 'ports.csv');
  await writeFile(file, 'devName,devMac,devLastIP,rack\nthis host,001e06aabbf1,127.0.0.1,B7\nlost,001e06aabbf2,,\n');
  await json('devices', 'import', file);
  const before = await run(['devices', 'ports', 'this host']);
  expect(before).toMatchObject({ code: 0, stdout: 'PORT  STATE  SERVICE  PRODUCT  SEEN  SCAN\n' });
  expect(before.stderr).toContain("To make one: lanreach scan 'this host'");
  expect(await run(['scan', 'lost'])).toMatchObject(says(4, 'No address of'));

  const port = { port: 22, protocol: 'tcp', state: 'open', service: 'ssh', product: null, version: null } as const;
  const about = { address: '127.0.0.1', mac: null, vendor: null, names: [] };
  const host = { ...about, state: 'up', timedOut: false, os: null } as const;
  const result = { hosts: [{ ...host, ports: [port] }], hostsUp: 1, hostsTotal: 1, triedTcpPorts: '1-100' };
  await using _agent = await startObedientAgent(api(), 'home', 'main', { output: '', result });
  const scanned = await run(['scan', 'this host']);
  expect(scanned).toMatchObject(says(0, 'Scan triggered for type: NMAP'));
  expect(scanned.stdout).toMatch(
    /nmap target=127\.0\.0\.1 mode=fast +succeeded +\d+ open ports on 1 hosts +home:main +home\.\S+\n$/,
  );
  expect((await run(['devices', 'ports', 'this host'])).stderr).toContain('Last scanned: ');
  const shown = (await run(['devices', 'show', 'this host'])).stdout;
  expect(shown).toMatch(/^ {2}Open ports +\d+.*, scanned /m);
  expect(shown).toMatch(/^ {2}rack +B7$/m);
  expect(await json('devices', 'ports', '001e06aabbf1')).toMatchObject({ mac: '00:1E:06:AA:BB:F1' });
  const row = rows.ports('home', '00:1E:06:AA:BB:F1');
  await api().context.table.update(row, { set: { d: Buffer.from('nonsense') } });
  expect(await run(['devices', 'show', 'this host'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^ {2}rack +B7$/m),
    stderr: expect.stringMatching(/^The open ports are not shown: .*The next port scan/),
  });
  const started = await json('scan', '127.0.0.1', '--no-wait');
  expect(started).toMatchObject({ success: true, jobs: [{ id: started.scan_id, tool: 'nmap' }] });
});

test('a look for devices is refused while discovery is off, and says how to switch it on', async () => {
  expect(await run(['scan'])).toMatchObject(says(1, 'lanreach site discover home on'));
});

test('events: as a table, as JSON, filtered, and as they happen', async () => {
  const at = await siteWith('events', 'devName,devMac\nrouter,001e06aabb00\nnas,001e06aabb01\n');
  await json('devices', 'set', 'nas', '--name', 'media\nserver', ...at);
  const listed = await run(['devices', 'events', ...at]);
  expect(listed.stdout.split('\n')).toEqual([
    expect.stringMatching(/^TIME +TYPE +DEVICE +NAME +WHAT$/),
    expect.stringMatching(/ renamed +00:1E:06:AA:BB:01 +media server +name: "nas" → "media\\nserver"$/),
    expect.stringMatching(/ imported +00:1E:06:AA:BB:0/),
    expect.stringMatching(/ imported +00:1E:06:AA:BB:0/),
    '',
  ]);
  expect((await json('devices', 'events', 'router', '--type', 'imported,new', ...at)).events).toMatchObject([
    { type: 'imported', device: { name: 'router' } },
  ]);
  expect((await run(['devices', 'events', '--type', 'gone', ...at])).code).toBe(2);

  const child = spawn(process.execPath, [PROGRAM, 'devices', 'watch', '--json', ...at], { env: line.env() });
  try {
    let printed = '';
    child.stdout.on('data', (bytes) => {
      printed += bytes;
    });
    // It begins with what is new: what is changed before it has connected may be missing, what comes later is not.
    let changes = 0;
    await expect
      .poll(async () => {
        await json('devices', 'set', 'router', '--owner', `owner ${++changes}`, ...at);
        return printed.split('\n').length;
      })
      .toBeGreaterThan(1);
    const [first = ''] = printed.split('\n');
    expect(JSON.parse(first)).toMatchObject({ type: 'edited', device: { name: 'router' } });
  } finally {
    child.kill();
  }
  const stranger = await run(['devices', 'events', '--follow', ...at], {
    env: { LANREACH_TOKEN: 'lr_0000000000000000.wrong' },
  });
  expect(stranger.code).toBe(3);
});

test('a file of which lines cannot be read replaces nothing, until that is allowed', async () => {
  await json('site', 'add', 'replaced');
  const at = ['--site', 'replaced'];
  const header = 'devName,devMac\n';
  await run(['devices', 'import', '-', ...at], { input: `${header}nas,02:00:00:00:00:01\ntv,02:00:00:00:00:02\n` });
  const torn = { input: `${header}nas,02:00:00:00:00:01\ntv,02:00:00\n` };
  const replace = ['devices', 'import', '-', '--mode', 'replace', ...at];
  for (const more of [[], ['--dry-run']]) {
    const refused = await run([...replace, ...more], torn);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('line 3 was skipped: devMac: "02:00:00" is no MAC address\n');
    expect(refused.stderr).toContain('--allow-skipped: expected true');
  }
  expect((await json('devices', 'totals', ...at))[0]).toBe(2);
  const allowed = await run([...replace, '--allow-skipped'], torn);
  expect(allowed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^deleted +1$/m) });
  expect((await run([...replace, '--allow-skipped'], { input: header })).stderr).toContain('names no device');
});

test('a file that is larger than one request goes up in parts, and its lines keep their numbers', async () => {
  await json('site', 'add', 'warehouse');
  // Long comments make the file larger than the 10 MB that a request may have.
  const row = (i: number) =>
    `shelf ${i},02:00:00:00:${(i >> 8).toString(16)}:${(i & 255).toString(16)},"${'x\n'.repeat(1_900)}"`;
  const rows = Array.from({ length: 3_000 }, (_, i) => row(i).replace(/:([0-9a-f])(?=[:,])/g, ':0$1'));
  rows[2_500] = 'shelf,nonsense,""';
  const file = join(line.folder, 'large.csv');
  await writeFile(file, `devName,devMac,devComments\n${rows.join('\n')}\n`);
  const answer = await json('devices', 'import', file, '--site', 'warehouse');
  const at = 2 + rows.slice(0, 2_500).join('\n').split('\n').length;
  expect(answer).toMatchObject({ inserted: 2_999, updated: 0, skipped: [{ line: at, reason: expect.any(String) }] });
  const replacing = await run(['devices', 'import', file, '--site', 'warehouse', '--mode', 'replace']);
  expect(replacing).toMatchObject({ code: 2, stdout: '' });
  expect(replacing.stderr).toMatch(/too large for one request/);
  expect((await json('devices', 'totals', '--site', 'warehouse'))[0]).toBe(2_999);
});
