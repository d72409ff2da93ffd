/**
 * Probes single devices where three missed scans would take too long: those with an alert, and a phone whose DHCP name has
 * just appeared with another MAC. A device is gone after several unanswered probes in a row, each answered by the gateway.
 */
import type { Sign } from './broadcast.ts';
import { pause, type ScanContext } from './evidence.ts';
import type { KnownDevices } from './known-devices.ts';
import type { Device } from './known-devices-file.ts';
import type { Heard } from './observations.ts';
import { rescanMissing } from './scan.ts';
import { isRandomMac } from './vendor.ts';
import type { WatchedNetwork } from './watched-networks.ts';

const PROBES = 3;

interface Frame {
  networks: readonly WatchedNetwork[];
  rawSockets: boolean;
}

type ProbeContext = ScanContext & { known: KnownDevices; now(): number };

/**
 * Probes the devices with an alert at intervals, until the signal aborts.
 * @param frame how the last scan ran; null before the first
 * @param onGone called when devices are gone
 */
export async function watchAlerted(context: ProbeContext, frame: () => Frame | null, onGone: () => void) {
  const { known, signal } = context;
  while (!signal.aborted) {
    await pause(30_000, signal); // So a device is missed within 30 s, and reported gone 20 s later.
    const alerted = known.all().filter(({ alerts, presence }) => alerts && presence.online);
    const macs = alerted.map(({ mac }) => mac);
    if (await probeDevices(context, frame(), macs)) onGone();
  }
}

/**
 * Probes these devices and records the results.
 * @param probes to each silent one, some seconds apart
 * @returns whether one of them is gone
 */
export async function probeDevices(
  { known, run, signal, now }: ProbeContext,
  frame: Frame | null,
  macs: readonly string[],
  probes = PROBES,
): Promise<boolean> {
  const devices = macs.flatMap((mac) => known.get(mac) ?? []).filter(({ network }) => !known.isForeign(network));
  let isAnyGone = false;
  for (const network of frame?.networks ?? []) {
    let silent = devices.flatMap(({ mac, ip, network: cidr }) =>
      cidr === network.cidr && ip !== null ? [{ mac, ip }] : [],
    );
    for (let probe = 1; silent.length > 0 && probe <= probes; probe++) {
      if (probe > 1) await pause(5_000, signal); // From one probe to the next.
      const witness = witnessIn(known, network, silent);
      if (witness === null || signal.aborted) break;
      const ips = [...new Set(silent.map(({ ip }) => ip))];
      const pass = { run, signal, network, rawSockets: frame?.rawSockets === true, startedAt: performance.now() };
      const found = await rescanMissing(pass, ips, witness);
      if (found === null || signal.aborted) break;
      const there = new Set(found.filter(({ fresh }) => fresh).map(({ mac }) => mac));
      for (const { mac } of silent) if (there.has(mac)) known.probed(mac, 'seen', now());
      // A broadcast may have shown a device meanwhile.
      silent = silent.filter(({ mac }) => !there.has(mac) && known.get(mac)?.presence.online === true);
      if (probe < probes) continue;
      for (const { mac } of silent) known.probed(mac, 'gone', now());
      isAnyGone ||= silent.length > 0;
    }
  }
  return isAnyGone;
}

/** The devices that a new one may have been: their MACs are random too, they are online, and sent the same by DHCP. */
export function formersOf(known: KnownDevices, { mac, heard }: Pick<Sign, 'mac' | 'heard'>): string[] {
  const textOf = (all: readonly Heard[], source: Heard['source']) => all.find((one) => one.source === source)?.value;
  const [name, options] = [textOf(heard, 'dhcp-name'), textOf(heard, 'dhcp-options')];
  if (name === undefined || options === undefined || !isRandomMac(mac)) return [];
  const isAlike = ({ observations }: Pick<Device, 'observations'>) =>
    textOf(observations, 'dhcp-name') === name && textOf(observations, 'dhcp-options') === options;
  const others = known.all().filter((each) => each.mac !== mac && isRandomMac(each.mac) && each.presence.online);
  return others.filter(isAlike).map((each) => each.mac);
}

/** The address that has to answer as well: the gateway's; without one, or if it is probed itself, another online device's. */
function witnessIn(known: KnownDevices, { cidr, mac, gateway }: WatchedNetwork, probed: readonly { ip: string }[]) {
  const isProbed = (ip: string) => probed.some((each) => each.ip === ip);
  if (gateway !== null && !isProbed(gateway)) return gateway;
  const others = known.all().filter((each) => each.network === cidr && each.presence.online && each.mac !== mac);
  return others.find(({ ip }) => ip !== null && !ip.includes(':') && !isProbed(ip))?.ip ?? null;
}
