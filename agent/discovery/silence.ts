/**
 * Probes single devices where three missed looks would take too long: those with an alert, and the phone whose name has just
 * come with another MAC. A device is gone when it leaves several probes in a row unanswered and the gateway answers each.
 */
import type { Sign } from './broadcast.ts';
import type { ScanContext } from './evidence.ts';
import type { KnownDevices } from './known-devices.ts';
import type { Device } from './known-devices-file.ts';
import { pause } from './listener.ts';
import type { Heard } from './observations.ts';
import { rescanMissing } from './scan.ts';
import { isRandomMac } from './vendor.ts';
import type { WatchedNetwork } from './watched-networks.ts';

/** Between rounds: the agent misses a device within this time, and reports it gone 20 s later. */
const ROUND_EVERY_MS = 30_000;
const QUESTIONS = 3;
const BETWEEN_QUESTIONS_MS = 5_000;

interface Frame {
  networks: readonly WatchedNetwork[];
  rawSockets: boolean;
}

type Asking = ScanContext & { known: KnownDevices; now(): number };

/**
 * Probes the devices with an alert at intervals, until the signal ends it.
 * @param frame how the last look was taken; null before the first
 * @param tell called when devices are gone
 */
export async function watchAlerted(asking: Asking, frame: () => Frame | null, tell: () => void): Promise<void> {
  const { known, signal } = asking;
  while (!signal.aborted) {
    await pause(ROUND_EVERY_MS, signal);
    const alerted = known.all().filter(({ alerts, presence }) => alerts && presence.online);
    const gone = await askWhetherGone(
      asking,
      frame(),
      alerted.map(({ mac }) => mac),
    );
    if (gone) tell();
  }
}

/**
 * Asks these devices, and takes what that has shown.
 * @param questions each some seconds after the one before
 * @returns whether one of them is gone
 */
export async function askWhetherGone(
  { known, run, signal, now }: Asking,
  frame: Frame | null,
  macs: readonly string[],
  questions = QUESTIONS,
): Promise<boolean> {
  const asked = macs.flatMap((mac) => known.get(mac) ?? []).filter(({ network }) => !known.isStrange(network));
  let isAnyGone = false;
  for (const network of frame?.networks ?? []) {
    let silent = asked.flatMap(({ mac, ip, network: cidr }) =>
      cidr === network.cidr && ip !== null ? [{ mac, ip }] : [],
    );
    for (let question = 1; silent.length > 0 && question <= questions; question++) {
      if (question > 1) await pause(BETWEEN_QUESTIONS_MS, signal);
      const witness = witnessIn(known, network, silent);
      if (witness === null || signal.aborted) break;
      const ips = [...new Set(silent.map(({ ip }) => ip))];
      const startedAt = performance.now();
      const found = await rescanMissing({ run, signal }, network, ips, witness, frame?.rawSockets === true, startedAt);
      if (found === null || signal.aborted) break;
      const there = new Set(found.filter(({ fresh }) => fresh).map(({ mac }) => mac));
      for (const { mac } of silent) if (there.has(mac)) known.probed(mac, 'seen', now());
      // One that a broadcast has shown meanwhile is there as well.
      silent = silent.filter(({ mac }) => !there.has(mac) && known.get(mac)?.presence.online === true);
      if (question < questions) continue;
      for (const { mac } of silent) known.probed(mac, 'gone', now());
      isAnyGone ||= silent.length > 0;
    }
  }
  return isAnyGone;
}

/**
 * The devices that a new one with a made-up MAC may have been until now: they made theirs up as well, are said to be there, and
 * have said the same by DHCP.
 */
export function formersOf(known: KnownDevices, { mac, heard }: Pick<Sign, 'mac' | 'heard'>): string[] {
  const saidOf = (all: readonly Heard[], source: Heard['source']) => all.find((one) => one.source === source)?.value;
  const [name, options] = [saidOf(heard, 'dhcp-name'), saidOf(heard, 'dhcp-options')];
  if (name === undefined || options === undefined || !isRandomMac(mac)) return [];
  const isAlike = ({ observations }: Pick<Device, 'observations'>) =>
    saidOf(observations, 'dhcp-name') === name && saidOf(observations, 'dhcp-options') === options;
  const others = known.all().filter((each) => each.mac !== mac && isRandomMac(each.mac) && each.presence.online);
  return others.filter(isAlike).map((each) => each.mac);
}

/** Who has to answer: the gateway; where there is none, or it is asked itself, another one that is there. */
function witnessIn(
  known: KnownDevices,
  { cidr, mac, gateway }: WatchedNetwork,
  asked: readonly { ip: string }[],
): string | null {
  const isAsked = (ip: string) => asked.some((each) => each.ip === ip);
  if (gateway !== null && !isAsked(gateway)) return gateway;
  const others = known.all().filter((each) => each.network === cidr && each.presence.online && each.mac !== mac);
  return others.find(({ ip }) => ip !== null && !ip.includes(':') && !isAsked(ip))?.ip ?? null;
}
