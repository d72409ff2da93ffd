import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { range, TargetRange } from '../../shared/network.ts';
import { nmap as declaration, NMAP_MODES, type NmapProtocol } from '../../shared/tools/nmap.ts';
import { FINISHED } from '../../test/support/agent/finished.ts';
import { TOOL_CONTEXT } from '../../test/support/agent/tool-settings.ts';
import type { Finished, RunProcess } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { parsePolicy } from '../jobs/policy.ts';
import { nmap, nmapArgs, parseProgress, withoutProgress } from './nmap.ts';
import { parseReport } from './nmap-report.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../test/fixtures/tools', name), 'utf8');

describe('arguments', () => {
  test('each mode adds its own flag of the contract', () => {
    const flagOf = { fast: '-F', normal: null, detail: '-A', skipdiscovery: '-Pn' };
    expect(NMAP_MODES).toEqual(Object.keys(flagOf));
    for (const mode of NMAP_MODES) {
      const args = nmapArgs('10.0.0.1', { mode }, '/x/scan.xml', 'as nmap thinks', []);
      const contract = args.filter((arg) => ['-F', '-A', '-Pn', '-sU'].includes(arg));
      expect(contract).toEqual(flagOf[mode] === null ? [] : [flagOf[mode]]);
      expect(args.slice(-4)).toEqual(['-oX', '/x/scan.xml', '--', '10.0.0.1']);
      expect(args).toEqual(expect.arrayContaining(['-n', '--host-timeout']));
      expect(args.join(' ')).toContain('--max-retries 2 --max-hostgroup 16 --stats-every 2s');
    }
  });

  test.each([
    ['fast', []],
    ['normal', []],
    ['detail', ['-sV', '--version-intensity', '0']],
    ['skipdiscovery', ['-Pn']],
  ] as const)('of UDP, mode %s scans the usual ports and adds %j', (mode, added) => {
    const args = nmapArgs('10.0.0.1', { mode, protocol: 'udp' }, 'x', 'as nmap thinks', []);
    expect(args).toEqual(expect.arrayContaining(['-sU', '--top-ports', ...added]));
    expect(args).not.toContain('-F');
    expect(args).not.toContain('-A');
    expect(nmapArgs('10.0.0.1', { mode, protocol: 'tcp' }, 'x', 'none', [])).not.toContain('-sU');
  });

  test('addresses to leave out', () => {
    const excluded = ['10.0.0.5', '10.0.0.7'].map((text) => ({ range: range(text), what: 'x' }));
    const args = nmapArgs('10.0.0.0/28', { mode: 'detail' }, 'x', 'as nmap thinks', excluded);
    expect(args.join(' ')).toContain(' --exclude 10.0.0.5,10.0.0.7 ');
  });

  test('IPv6 targets and privileges', () => {
    expect(nmapArgs('fe80::1%eth0', { mode: 'fast' }, 'x', 'as nmap thinks', [])).toContain('-6');
    expect(nmapArgs('10.0.0.1', { mode: 'fast' }, 'x', 'as nmap thinks', [])).not.toContain('-6');
    expect(nmapArgs('10.0.0.1', { mode: 'fast' }, 'x', 'raw sockets', [])).toContain('--privileged');
    expect(nmapArgs('10.0.0.1', { mode: 'fast' }, 'x', 'none', [])).toContain('--unprivileged');
  });
});

describe('reports', () => {
  test('a range: hosts, MACs, vendors and ports', () => {
    const { hosts, triedTcpPorts, ...rest } = parseReport(fixture('nmap-fast-range.xml'));
    expect(rest).toEqual({ exit: 'success', complaint: null, hostsUp: 9, hostsTotal: 256 });
    expect(triedTcpPorts).toMatch(/^7,9,13,21-23,25-26,.*,49152-49157$/);
    expect(hosts).toHaveLength(9);
    const at = (ip: string) => hosts.find(({ address }) => address === ip);
    const open = { protocol: 'tcp', state: 'open', product: null, version: null };
    const services = Object.entries({ 22: 'ssh', 80: 'http', 443: 'https', 5000: 'upnp' });
    expect(at('10.77.1.20')).toEqual({
      ...{ address: '10.77.1.20', mac: '00:11:32:77:01:20', vendor: 'Synology Incorporated', names: [] },
      ...{ state: 'up', timedOut: false, os: null },
      ports: services.map(([port, service]) => ({ port: Number(port), service, ...open })),
    });
    expect(at('10.77.1.90')).toMatchObject({ vendor: null, ports: [] });
    expect(at('10.77.1.2')).toMatchObject({ mac: null });
  });

  test('products and operating systems', () => {
    const [host] = parseReport(fixture('nmap-detail.xml')).hosts;
    expect(host?.os).toMatch(/^Linux/);
    expect(host?.ports).toMatchObject([{ port: 22, product: 'OpenSSH', version: '9.2p1 Debian 2+deb12u3' }]);
  });

  test('the banners of services, in bounds', () => {
    const script = (id: string, output: string) => `<script id="${id}" output="${output}"/>`;
    const said = (...scripts: string[]) =>
      parseReport(fixture('nmap-detail.xml').replace('</port>', `${scripts.join('')}</port>`)).hosts[0]?.banners;
    const banners = said(
      script('http-title', 'HL-L2350DW &amp; more&#xa;Requested resource was /'),
      script('http-server-header', 'debut/1.30'),
      script('ssl-cert', 'Subject: commonName=printer.lan/organizationName=Acme&#xa;Not valid before: 2026'),
      script('http-methods', 'GET'),
      script('http-title', 'Site doesn&apos;t have a title (text/html).'),
      script('http-title', '&#x202e;&#0;'),
    );
    expect(banners).toEqual([
      { source: 'http-title', value: 'HL-L2350DW & more' },
      { source: 'http-server', value: 'debut/1.30' },
      { source: 'tls', value: 'commonName=printer.lan/organizationName=Acme' },
    ]);
    const many = said(...Array.from({ length: 500 }, (_, i) => script('http-title', `${i}${'x'.repeat(10_000)}`)));
    expect([many?.length, Math.max(...(many ?? []).map(({ value }) => value.length))]).toEqual([20, 200]);
  });

  test('UDP: what answers is open, and what says nothing is unclear', () => {
    const { hosts, triedTcpPorts, triedUdpPorts } = parseReport(fixture('nmap-udp.xml'));
    expect(triedTcpPorts).toBeNull();
    expect(triedUdpPorts).toMatch(/^7,9,17,19,49,53,67-69,.*,65024$/);
    const open = hosts[0]?.ports.filter(({ state }) => state === 'open');
    expect(open).toMatchObject([{ port: 123, protocol: 'udp', service: 'ntp' }]);
    expect(hosts[0]?.unclearPorts).toMatch(/^7,9,17,19,49,53,67-69,80,111,120,135-139,/);
    expect(hosts[0]?.unclearPorts?.split(',')).not.toContain('123');
  });

  test('a host that is down, one that took too long, one of IPv6, and no host at all', () => {
    expect(parseReport(fixture('nmap-host-down.xml'))).toMatchObject({ hosts: [], hostsUp: 0, hostsTotal: 1 });
    expect(parseReport(fixture('nmap-timed-out.xml')).hosts).toMatchObject([{ timedOut: true, ports: [] }]);
    expect(parseReport(fixture('nmap-ipv6.xml')).hosts).toMatchObject([{ address: 'fd77:1::70' }]);
    expect(parseReport(fixture('nmap-no-target.xml'))).toMatchObject({ exit: 'success', hostsTotal: 0 });
  });

  test('character references are decoded once, and a document type declares nothing', () => {
    const xml = fixture('nmap-detail.xml');
    const odd = xml.replace('product="OpenSSH"', 'product="&lt;A&amp;amp;B&#xe9;&#33;&nbsp;&#99999999;"');
    expect(parseReport(odd).hosts[0]?.ports[0]?.product).toBe('<A&amp;Bé!&nbsp;&#99999999;');
    const bomb = xml
      .replace('<!DOCTYPE nmaprun>', '<!DOCTYPE nmaprun [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>')
      .replace('product="OpenSSH"', 'product="&b;"');
    expect(parseReport(bomb).hosts[0]?.ports[0]?.product).toBe('&b;');
  });

  test('a host, port or name that cannot be read costs only itself', () => {
    const xml = fixture('nmap-detail.xml');
    const whole = parseReport(xml);
    const odd = '<port portid="ssh" protocol="tcp"><state state="open"/></port><port/>';
    expect(parseReport(xml.replace('</ports>', `${odd}</ports>`))).toEqual(whole);
    expect(parseReport(xml.replace('</hostnames>', '<hostname type="PTR"/></hostnames>'))).toEqual(whole);
    const { hosts } = parseReport(xml.replace('</host>', '</host><host><ports><port/></ports><address/></host>'));
    expect(hosts).toEqual([...whole.hosts, expect.objectContaining({ address: '', ports: [] })]);
  });

  test('a report that was cut short is a failure', () => {
    const xml = fixture('nmap-detail.xml');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: xml.length - 30 }), (length) => {
        expect(() => parseReport(xml.slice(0, length))).toThrow(ToolFailure);
      }),
    );
  });

  test('no text breaks the reader', () => {
    const tags = ['<nmaprun>', '</nmaprun>', '<host>', '<runstats>', '<port portid="x"/>', '&#0;', '<![CDATA[', '<!--'];
    const piece = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...tags));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        try {
          parseReport(pieces.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(ToolFailure);
        }
      }),
    );
  });

  test('whatever is read fits the schema of the answer', () => {
    for (const name of ['fast-range', 'detail', 'host-down', 'timed-out', 'ipv6', 'udp'])
      expect(declaration.result.safeParse(parseReport(fixture(`nmap-${name}.xml`))).success).toBe(true);
  });
});

describe('progress', () => {
  test.each([
    ['SYN Stealth Scan Timing: About 88.12% done; ETC: 13:34 (0:00:00 remaining)', 'SYN Stealth Scan', 88.12],
    ['NSE Timing: About 0.00% done', 'NSE', 0],
    ['Parallel DNS resolution of 1 host. Timing: About 0.00% done', 'Parallel DNS resolution of 1 host.', 0],
  ])('%s', (line, phase, percent) => expect(parseProgress(line)).toEqual({ phase, percent }));

  test('is taken out of the text, which stays as it is otherwise', () => {
    const text = fixture('nmap-fast-range.txt');
    expect(text).toContain('Stats:');
    const clean = withoutProgress(text);
    expect(clean).not.toMatch(/Stats:|Timing:/);
    expect(clean.split('\n')).toEqual(text.split('\n').filter((line) => !/^Stats:| Timing: About/.test(line)));
    expect(withoutProgress(fixture('nmap-ipv6.txt'))).toBe(fixture('nmap-ipv6.txt'));
  });
});

describe('how a run ended decides', () => {
  const stdout = 'Starting Nmap\nStats: 0:00:01 elapsed; 0 hosts\n';

  async function runWith(finished: Partial<Finished>, xml: string | null, protocol?: NmapProtocol) {
    const run: RunProcess = async (_program, args) => {
      if (xml !== null) await writeFile(args[args.indexOf('-oX') + 1] ?? '', xml);
      return { ...FINISHED, stdout, ...finished };
    };
    const command = { tool: 'nmap', target: TargetRange.parse('10.0.0.1'), mode: 'fast', protocol } as const;
    return await nmap.run(command, { ...TOOL_CONTEXT, run, rules: parsePolicy({}).nmap });
  }

  test('a host that is down is an answer', async () => {
    const down = { output: 'Starting Nmap\n', result: { hostsUp: 0, hostsTotal: 1 } };
    expect(await runWith({}, fixture('nmap-host-down.xml'))).toMatchObject(down);
  });

  test('UDP without raw sockets is a failure that says what is missing', async () => {
    const stderr = 'You requested a scan type which requires root privileges.\nQUITTING!\n';
    const missing = { reason: 'tool_failed', message: expect.stringContaining('CAP_NET_RAW') };
    await expect(runWith({ code: 1, stderr }, null, 'udp')).rejects.toMatchObject(missing);
  });

  test('exit code 0 with nothing scanned is a failure; so are another one, a missing report and one of an error', async () => {
    const stderr = 'Failed to resolve "nothing.invalid".\n';
    const unresolved = { reason: 'tool_failed', message: 'nmap failed: Failed to resolve "nothing.invalid".' };
    await expect(runWith({ stderr }, fixture('nmap-no-target.xml'))).rejects.toMatchObject(unresolved);
    const good = fixture('nmap-ipv6.xml');
    await expect(runWith({ code: 1, stderr: 'QUITTING!' }, good)).rejects.toMatchObject({ reason: 'tool_failed' });
    await expect(runWith({ code: null, signal: 'SIGSEGV' }, good)).rejects.toThrow('SIGSEGV');
    await expect(runWith({}, null)).rejects.toMatchObject({ reason: 'tool_failed', output: 'Starting Nmap\n' });
    const bad = good.replace('exit="success"', 'exit="error" errormsg="out of &quot;luck&quot;"');
    await expect(runWith({}, bad)).rejects.toThrow('nmap failed: out of "luck"');
  });
});
