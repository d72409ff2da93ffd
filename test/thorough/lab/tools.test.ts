/** Every tool, run for real on the agent's host of the lab, against the truth that the lab was built from. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { type CommandJson, TOOL, type Tool, type ToolResult } from '../../../shared/tools/list.ts';
import { describeLab } from '../../lab/describe-lab.ts';
import type { InsideEvent } from '../../lab/inside.ts';
import { SHAPED_MBPS } from '../../lab/plan.ts';

/** A name server that never answers, and says which names it was asked for. */
const RECORDER = `
  const socket = require('node:dgram').createSocket('udp4');
  socket.on('message', (question) => {
    const labels = [];
    for (let at = 12; question[at] > 0; at += question[at] + 1) {
      labels.push(question.toString('latin1', at + 1, at + 1 + question[at]));
    }
    console.log(labels.join('.'));
  });
  socket.bind(53, process.argv[1], () => console.log('ready'));
`;

interface Failure {
  reason: string;
  message: string;
  output: string;
}

type CommandJsonOf<T extends Tool> = Extract<CommandJson, { tool: T }>;

interface Run<T extends Tool> {
  /** Of the command; null when it failed. */
  answer: { output: string; truncated: boolean; result: ToolResult<T> } | null;
  failure: Failure | null;
  events: InsideEvent[];
}

interface RunOptions {
  settings?: object;
  unprivileged?: boolean;
  cancelOn?: string;
  cancelWhen?: Promise<unknown>;
  nameServer?: string;
  /** The server that the tool asks does not answer. */
  isHung?: boolean;
}

describeLab('tools in the lab', { concurrent: true }, (lab) => {
  /** Runs a command, and again where the machine stood still for longer than a tool waits for a server. */
  async function run<T extends Tool>(command: CommandJsonOf<T>, options: RunOptions = {}): Promise<Run<T>> {
    for (let tries = 1; ; tries++) {
      const result = await runOnce(command, options);
      if (options.isHung || tries === 3 || !result.failure?.message.includes('no answer within')) return result;
    }
  }

  /** Runs one command; cancels it when it prints a line that contains `cancelOn`, or when `cancelWhen` resolves. */
  async function runOnce<T extends Tool>(command: CommandJsonOf<T>, options: RunOptions): Promise<Run<T>> {
    const { settings = {}, unprivileged = false, cancelOn, cancelWhen } = options;
    const argv = [process.execPath, join(lab.folder, 'inside.mjs'), JSON.stringify(command), JSON.stringify(settings)];
    const resolver = options.nameServer === undefined ? [] : await withNameServer(options.nameServer);
    const inside = await lab.run([...resolver, ...argv], { unprivileged });
    let complaint = '';
    inside.stderr.on('data', (text: Buffer) => {
      complaint += text.toString();
    });
    inside.stdin.on('error', () => {}); // It may have ended by itself.
    cancelWhen?.then(() => inside.stdin.write('cancel\n'));
    const result: Run<T> = { answer: null, failure: null, events: [] };
    for await (const line of createInterface({ input: inside.stdout })) {
      const event: InsideEvent = JSON.parse(line);
      result.events.push(event);
      if (event.event === 'output' && cancelOn !== undefined && event.text.includes(cancelOn)) {
        inside.stdin.write('cancel\n');
      }
      if (event.event === 'failure') result.failure = event;
      if (event.event === 'answer') {
        const parsed = TOOL[command.tool].result.parse(event.result) as ToolResult<T>;
        result.answer = { output: event.output, truncated: event.truncated, result: parsed };
      }
    }
    await inside.exited;
    if (result.answer === null && result.failure === null) throw new Error(`nothing came back: ${complaint}`);
    return result;
  }

  /** What to put before a command so that it asks another name server, or several with blanks between them. */
  async function withNameServer(addresses: string): Promise<string[]> {
    const file = join(lab.folder, `resolv-${addresses.replaceAll(' ', '-')}.conf`);
    await writeFile(file, addresses.replaceAll(/\S+\s*/g, 'nameserver $&\n'));
    const script = 'mount --bind "$0" "$(readlink -f /etc/resolv.conf)"; exec "$@"';
    return ['unshare', '--mount', 'sh', '-ec', script, file];
  }

  /** The answer of a command that must succeed. */
  async function answerOf<T extends Tool>(command: CommandJsonOf<T>, options: RunOptions = {}) {
    const { answer, failure } = await run<T>(command, options);
    if (answer === null) throw new Error(`failed: ${failure?.reason} ${failure?.message}\n${failure?.output}`);
    return answer;
  }

  async function failureOf(command: CommandJson, options: RunOptions = {}): Promise<Failure> {
    const { failure, answer } = await run(command, options);
    if (failure === null) throw new Error(`expected a failure, got: ${answer?.output}`);
    return failure;
  }

  /** A name server at an address of the host itself, and the names that it is asked for, one by one. */
  async function startRecorder(nameServer: string) {
    const recorder = await lab.run([process.execPath, '-e', RECORDER, nameServer], {});
    const lines = createInterface({ input: recorder.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('ready');
    async function next(): Promise<string> {
      const line = await lines.next();
      if (line.done) throw new Error('the name server has ended');
      return line.value;
    }
    return {
      next,
      /** What it has been asked for since, up to now. */
      async asked(): Promise<string[]> {
        const names: string[] = [];
        let heard = () => {};
        const cancelWhen = new Promise<void>((resolve) => {
          heard = resolve;
        });
        const witness = failureOf({ tool: 'nslookup', query: '192.0.2.77' }, { nameServer, cancelWhen });
        for (let name = await next(); name !== '77.2.0.192.in-addr.arpa'; name = await next()) names.push(name);
        heard();
        await witness;
        return names;
      },
      [Symbol.asyncDispose]: () => recorder.kill(),
    };
  }

  const openPorts = (result: ToolResult<'nmap'>) =>
    result.hosts.map(({ address, ports }) => ({
      address,
      open: ports.filter(({ state }) => state === 'open').map(({ port }) => port),
    }));

  const withOpenPorts = () =>
    [lab.truth.AGENT, lab.truth.ROUTER, ...Object.values(lab.truth.HOSTS)]
      .filter(({ ipv4 }) => ipv4 !== null)
      .map(({ ipv4, tcp }) => ({ address: lab.truth.bare(ipv4), open: [...tcp] }));

  const byAddress = (a: { address: string }, b: { address: string }) => a.address.localeCompare(b.address);

  describe('nmap', () => {
    test('a fast scan of the LAN finds every host, its MAC and its open ports', async () => {
      const { events, answer } = await run<'nmap'>({ tool: 'nmap', target: '10.77.1.0/24', mode: 'fast' });
      expect(openPorts(answer!.result).sort(byAddress)).toEqual(withOpenPorts().sort(byAddress));
      for (const host of Object.values(lab.truth.HOSTS)) {
        const found = answer!.result.hosts.find(({ address }) => host.ipv4?.startsWith(`${address}/`));
        if (host.ipv4 !== null) expect(found).toMatchObject({ mac: host.mac, state: 'up', timedOut: false });
      }
      expect(answer!.result).toMatchObject({ hostsUp: 12, hostsTotal: 256 });
      expect(answer!.output).toMatch(/^Starting Nmap [\s\S]*5000\/tcp open {2}upnp[\s\S]*12 hosts up[^\n]*\n$/);
      expect(answer!.output).not.toMatch(/Stats:|Timing:/);
      // What was shown while it ran is what the answer repeats.
      const shown = events.flatMap((event) => (event.event === 'output' ? [event.text] : [])).join('');
      expect(shown).toBe(answer!.output);
    });

    test('a detailed scan names products and systems', async () => {
      const { result } = await answerOf({ tool: 'nmap', target: '10.77.1.40', mode: 'detail' });
      const port = { port: 22, protocol: 'tcp', state: 'open', service: 'ssh', product: 'OpenSSH' };
      expect(result.hosts).toMatchObject([{ address: '10.77.1.40', ports: [port] }]);
      expect(result.hosts[0]?.os).toContain('Linux');
    });

    test.each([
      { target: 'fd77:1::70', address: 'fd77:1::70' },
      { target: 'fd77:1::70/125', address: 'fd77:1::70' },
      { target: 'FD77:1:0::70', address: 'fd77:1::70' },
      { target: 'fe80::21e:6ff:fe77:170%eth0', address: 'fe80::21e:6ff:fe77:170' },
    ])('IPv6: $target', async ({ target, address }) => {
      const { result } = await answerOf({ tool: 'nmap', target, mode: 'fast' });
      expect(openPorts(result)).toEqual([{ address, open: [22, 8080] }]);
    });

    test('a cancelled scan ends before its end and leaves no process', async () => {
      const command = { tool: 'nmap', target: '10.77.1.0/25', mode: 'normal' } as const;
      const failure = await failureOf(command, { cancelOn: 'Starting Nmap' });
      expect(failure.reason).toBe('cancelled');
      expect(failure.output).toContain('Starting Nmap');
      expect(failure.output).not.toContain('Nmap done');
      const search = await lab.run(['sh', '-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "']);
      let commands = '';
      for await (const text of search.stdout) commands += text;
      expect(commands).not.toContain('-- 10.77.1.0/25');
    });
  });

  describe('traceroute', () => {
    test('to a host of the same LAN, and to IPv6 hosts with and without zone', async () => {
      const hopsTo = async (target: string) =>
        (await answerOf({ tool: 'traceroute', target })).result.hops.map(({ probes }) => probes[0]?.address);
      expect(await hopsTo('10.77.1.20')).toEqual(['10.77.1.20']);
      expect(await hopsTo('fd77:2::20')).toEqual(['fd77:1::1', 'fd77:2::20']);
      const linkLocal = await answerOf({ tool: 'traceroute', target: 'fe80::20d:b9ff:fe77:101%eth0' });
      expect(linkLocal.result).toMatchObject({ reached: true });
    });

    test('into a black hole: both kinds of probes, each within its limit', async () => {
      const { result, output } = await answerOf({ tool: 'traceroute', target: '198.51.100.1' });
      expect(result.reached).toBe(false);
      expect(result.hops.slice(0, 2).map(({ probes }) => probes[0]?.address)).toEqual(['10.77.1.1', '192.0.2.2']);
      expect(output.match(/traceroute to/g)).toHaveLength(2);
    });

    test('an address without a route is a failure', async () => {
      const noRoute = await lab.run(['ip', 'route', 'add', 'unreachable', '198.51.100.128/25']);
      await noRoute.exited;
      const failure = await failureOf({ tool: 'traceroute', target: '198.51.100.129' });
      expect(failure).toMatchObject({
        reason: 'tool_failed',
        message: expect.stringMatching(/unreachable|No route/),
      });
    });

    test('a cancelled trace keeps the hops it has', async () => {
      const failure = await failureOf({ tool: 'traceroute', target: '198.51.100.1' }, { cancelOn: ' 1  10.77' });
      expect(failure.reason).toBe('cancelled');
      expect(failure.output).toContain(' 1  10.77.1.1');
    });
  });

  describe('nslookup', () => {
    const SERVER = ['Server: 10.77.1.53', 'Address: 10.77.1.53#53', ''];
    const linesOf = (output: string) => output.trimEnd().split('\n');

    test('a name has addresses of both families', async () => {
      const { output } = await answerOf({ tool: 'nslookup', query: 'NAS.lab.test.' });
      expect(linesOf(output)).toEqual([...SERVER, 'Name: nas.lab.test', 'Address: 10.77.1.20', 'Address: fd77:1::20']);
    });

    test.each(['nobody.lab.test', '10.77.1.90', 'nobody'])('%s does not exist', async (query) => {
      const failure = await failureOf({ tool: 'nslookup', query });
      expect(failure).toMatchObject({ reason: 'tool_failed', message: expect.stringContaining('NXDOMAIN') });
      expect(failure.output).toBe(`${SERVER.join('\n')}\n** server can't find ${query}: NXDOMAIN\n`);
    });
  });

  describe('nslookup without a working name server', () => {
    test.each([
      ['that is silent', '10.77.1.50', 'no name server answers'],
      ['that does not run', '10.77.1.20', 'the name server refuses connections'],
    ])('one %s', async (_kind, nameServer, message) => {
      for (const query of ['nas.lab.test', '10.77.1.20']) {
        const failure = await failureOf({ tool: 'nslookup', query }, { nameServer });
        expect(failure).toMatchObject({ reason: 'tool_failed', message: expect.stringContaining(message) });
        expect(failure.output).toContain(`Server: ${nameServer}\n`);
      }
    });

    test('one that is silent is asked twice; a look-up that is cancelled does not come back to it', async () => {
      const nameServer = '127.0.0.54';
      await using recorder = await startRecorder(nameServer);
      expect((await failureOf({ tool: 'nslookup', query: '10.77.1.20' }, { nameServer })).reason).toBe('tool_failed');
      expect(await recorder.asked()).toEqual(Array(2).fill('20.1.77.10.in-addr.arpa'));

      // Two more that are silent: the second question would come seconds later.
      const options = { nameServer: `${nameServer} 10.77.1.50 198.51.100.1`, cancelWhen: recorder.next() };
      expect((await failureOf({ tool: 'nslookup', query: '10.77.1.30' }, options)).reason).toBe('cancelled');
      expect(await recorder.asked()).toEqual([]);
    });
  });

  describe('internetinfo', () => {
    const at = (path: string) => ({ settings: { internetInfoUrl: `${lab.truth.INTERNET.info}/${path}` } });

    test.each([
      ['empty', 'empty'],
      ['html', 'no JSON object'],
      ['huge', 'longer than 64 KiB'],
      ['reset', ''],
      ['limited', 'status 429'],
      ['redirect', 'redirect'],
      ['noaddress', 'the field "ip"'],
      ['hang', 'no answer within 5 s'],
    ])('a service that fails: %s', async (path, message) => {
      const failure = await failureOf({ tool: 'internetinfo' }, { ...at(path), isHung: path === 'hang' });
      expect(failure.reason).toBe('tool_failed');
      expect(failure.message).toContain(message);
      if (path !== 'hang') expect(failure.message).not.toContain('no answer within');
    });
  });

  // Alone, because whatever else crosses the shaped link is missing in the figures.
  describe('speedtest', { concurrent: false }, () => {
    const MOST_MBPS = SHAPED_MBPS * 1.04;

    test('measures the shaped link in both directions, and never more than it lets through', async (context) => {
      const measured = () =>
        run<'speedtest'>({ tool: 'speedtest' }, { settings: { speedtestServer: lab.truth.INTERNET.speedtest } });
      const { answer, events } = await measured();
      expect(answer?.output).toMatch(/^Ping: \d+\.\d\d ms\nDownload: \d+\.\d\d Mbit\/s\nUpload: \d+\.\d\d Mbit\/s\n$/);
      const { pingMs, downloadMbps, uploadMbps } = answer!.result;
      expect(pingMs).toBeGreaterThan(0);
      const phases = new Set(events.flatMap((event) => (event.event === 'progress' ? [event.phase] : [])));
      expect([...phases]).toEqual(['ping', 'download', 'upload']);
      context.skip(!lab.shaped && process.env.CI !== 'true', 'the kernel cannot limit the rate of a link');
      // Never above the rate of the link; below it is what a busy machine cannot move. That the rate follows from bytes
      // and time is in `agent/tools/speedtest.system.test.ts`.
      let rates = [downloadMbps, uploadMbps];
      // What has piled up while the machine stood still in the warm-up counts as well. It does not do so each time.
      for (let tries = 1; tries < 3 && Math.max(...rates) > MOST_MBPS; tries++) {
        const { result } = (await measured()).answer!;
        rates = [result.downloadMbps, result.uploadMbps];
      }
      for (const rate of rates) {
        expect(rate).toBeGreaterThan(0);
        expect(rate).toBeLessThan(MOST_MBPS);
      }
    });

    test('a cancelled test ends before its end and keeps what it has measured', async () => {
      const settings = { speedtestServer: lab.truth.INTERNET.speedtest };
      const failure = await failureOf({ tool: 'speedtest' }, { settings, cancelOn: 'Ping: ' });
      expect(failure).toMatchObject({ reason: 'cancelled', output: expect.stringMatching(/^Ping: [^\n]*\n$/) });
    });
  });
});
