/** A LAN for the benchmark of discovery: hosts in a network namespace of their own, at the other end of a virtual cable. */
import { pino } from 'pino';
import { type Argv, runToEnd, superviseChild } from '../local/child-process.ts';
import { childEnvironment } from '../local/config.ts';
import { findProgram } from '../local/programs.ts';

/** The interface of this host in the LAN, and its address. */
export const INTERFACE = 'lan0';
const ADDRESS = '10.99.0.1';
export const NETWORK = '10.99.0.0/20';
const GATEWAY = '10.99.0.2';
export const HOSTS = 250;
/** So many of them have the first addresses; the others are spread over the rest of the network. */
const NEAR = 200;

const WITHIN_MS = 60_000;

/** Builds it in the network namespace of this process. @throws {Error} when the kernel does not permit that */
export async function startLan(): Promise<{ stop(): Promise<void> }> {
  const env = childEnvironment();
  const namespace = await superviseChild({
    name: 'the hosts of the LAN',
    argv: ['unshare', '--net', 'sh', '-c', 'echo ready; exec sleep infinity'],
    env,
    ready: { line: (text) => text === 'ready' },
    readyWithinMs: WITHIN_MS,
    setpriv: findProgram('setpriv', env.PATH ?? ''),
    log: pino({ level: 'silent' }),
  });
  const inside = (argv: Argv): Argv => ['nsenter', `--net=/proc/${namespace.pid}/ns/net`, ...argv];
  const ip = (wrap: (argv: Argv) => Argv, commands: readonly string[]) =>
    run(wrap(['ip', '-batch', '-']), `${commands.join('\n')}\n`);
  try {
    await ip(
      (argv) => argv,
      [
        `link add ${INTERFACE} type veth peer name cable netns ${namespace.pid}`,
        `addr add ${ADDRESS}/20 dev ${INTERFACE}`,
        `link set ${INTERFACE} up`,
        `route add default via ${GATEWAY}`,
      ],
    );
    // Each host answers for its own address alone, and there is no IPv6, of which there would be more than of ARP.
    const settings = ['all', 'default'].flatMap((scope) => [
      `echo 1 > /proc/sys/net/ipv4/conf/${scope}/arp_ignore`,
      `echo 1 > /proc/sys/net/ipv6/conf/${scope}/disable_ipv6`,
    ]);
    await run(inside(['sh', '-ec', settings.join('; ')]));
    const hosts = Array.from({ length: HOSTS }, (_, i) => hostOf(i));
    await ip(inside, [
      'link set cable up',
      ...hosts.flatMap(({ mac, ip: address }, i) => [
        `link add link cable name host${i} address ${mac} type macvlan mode bridge`,
        `addr add ${address}/20 dev host${i}`,
        `link set host${i} up`,
      ]),
    ]);
    return { stop: () => namespace.stop() };
  } catch (error) {
    await namespace.stop();
    throw error;
  }
}

/** The first is the gateway. */
function hostOf(i: number) {
  const value = i < NEAR ? i + 2 : 256 + (i - NEAR) * 75;
  return {
    mac: `00:1e:06:99:${[value >> 8, value & 255].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`.toUpperCase(),
    ip: `10.99.${value >> 8}.${value & 255}`,
  };
}

async function run(argv: Argv, input = ''): Promise<void> {
  const { code, output } = await runToEnd(argv, { env: childEnvironment(), timeoutMs: WITHIN_MS, input });
  if (code !== 0) throw new Error(`${argv.join(' ').slice(0, 200)}: ${output.slice(0, 300)}`);
}
