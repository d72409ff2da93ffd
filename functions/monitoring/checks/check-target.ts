/** Validates the target of a check in a request, and makes it canonical. */
import { fitToReport } from '../../../shared/agent/fit-text.ts';
import type { checks } from '../../../shared/api/checks.ts';
import type { Input } from '../../../shared/api/operation.ts';
import { UNKNOWN_NAMES } from '../../../shared/device.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { METADATA_SERVICES } from '../../../shared/metadata-services.ts';
import {
  embeddedIpv4,
  formatIp,
  namesNoHost,
  parseHostName,
  parseIp,
  rangeOf,
  rangeWithin,
} from '../../../shared/network.ts';
import type { SiteCall } from '../../http/call.ts';
import { invalid } from '../../http/errors.ts';
import { requireKnown } from '../../sites/sites.ts';
import type { Stores } from '../../stores.ts';
import type { CheckSettings } from './check-store.ts';

type Wanted = Input<(typeof checks)['addCheck']>;
type Target = Omit<CheckSettings, 'everySeconds' | 'agents' | 'enabled' | 'createdAt' | 'createdBy'>;

const MAX_LABEL = 100;
const MAX_URL = 2_000;

/**
 * @throws {ServiceError} `validation_failed` for an impossible target, `not_found` when the device does not exist,
 *   `site_forbidden` when the token may not use the other site
 */
export async function readTarget(
  context: Pick<Stores, 'devices' | 'sites'>,
  call: Pick<SiteCall, 'site' | 'reach'>,
  wanted: Wanted,
): Promise<Target> {
  const { label, kind } = wanted;
  const { brief, ...target } = await targetOf(context, call, wanted);
  return { label: readLabel(label ?? brief), kind, ...target };
}

/** @throws {ServiceError} `validation_failed` when nothing of it is visible */
export function readLabel(text: string): string {
  const label = fitLabel(text);
  if (label === null) throw invalid('label', 'expected a text that can be read');
  return label;
}

export const fitLabel = (text: string): string | null => fitToReport(text, MAX_LABEL);

/** `brief` is a short form of the target. */
async function targetOf(
  context: Pick<Stores, 'devices' | 'sites'>,
  { site, reach }: Pick<SiteCall, 'site' | 'reach'>,
  wanted: Wanted,
): Promise<Omit<Target, 'label' | 'kind'> & { brief: string }> {
  const { kind, device, host, port, url, name, server, anchors, toSite } = wanted;
  switch (kind) {
    case 'ping':
    case 'tcp': {
      const of = port === undefined ? {} : { port };
      const end = port === undefined ? '' : `:${port}`;
      if (device !== undefined) {
        const row = await context.devices.find(site, device);
        const found = row ?? (await context.devices.snapshot(site)).deviceOf(device);
        if (found === undefined) throw new ServiceError('not_found', `There is no device ${device} on site "${site}"`);
        const { devName, devLastIP } = found.record;
        const known = UNKNOWN_NAMES.includes(devName) ? devLastIP : devName;
        return { device: found.key, ...of, brief: `${known || found.key}${end}` };
      }
      const canonical = readHost('host', host ?? '');
      const brief = `${canonical.includes(':') && port ? `[${canonical}]` : canonical}${end}`;
      return { host: canonical, ...of, brief };
    }
    case 'http': {
      const { href, host: brief } = readUrl(url ?? '');
      return { url: href, ...given(wanted, 'status', 'text'), brief };
    }
    case 'dns': {
      const brief = readName(name ?? '', wanted.record);
      const of = server === undefined ? {} : { server: readHost('server', server) };
      return { name: brief, ...given(wanted, 'record', 'expect'), ...of, brief };
    }
    case 'internet': {
      const of = anchors && { anchors: [...new Set(anchors.map((one, i) => readHost(`anchors.${i}`, one)))] };
      return { ...of, brief: 'internet' };
    }
    case 'site': {
      const other = await requireKnown(context, reach, toSite ?? '');
      if (other.id === site) throw invalid('toSite', 'expected another site than the one that checks it');
      if (other.reachableAt === null)
        throw invalid('toSite', `expected a site that says where it can be reached: set reachableAt of ${other.id}`);
      return { toSite: other.id, brief: other.name };
    }
  }
}

/** A target in one form for all notations; an invalid one stays as it is. */
export function canonicalTarget({ host, server, name, url, anchors, ...others }: Partial<Wanted>): object {
  const hostOf = (text: string | undefined) => {
    const address = text === undefined ? null : parseIp(text);
    return address === null ? (parseHostName(text ?? '') ?? text) : formatIp(address);
  };
  const hosts = { host: hostOf(host), server: hostOf(server), name: hostOf(name), anchors: anchors?.map(hostOf) };
  return { ...others, ...hosts, url: url && Object.assign(new URL(url), { hash: '' }).href };
}

function given<Name extends keyof Wanted>(wanted: Wanted, ...names: Name[]): Pick<Wanted, Name> {
  const entries = names.flatMap((name) => (wanted[name] === undefined ? [] : [[name, wanted[name]]]));
  return Object.fromEntries(entries) as Pick<Wanted, Name>;
}

function readHost(field: string, text: string): string {
  const address = parseIp(text);
  if (address === null) {
    const name = parseHostName(text);
    if (name === null) throw invalid(field, 'expected an address or the name of a host');
    return name;
  }
  const range = rangeOf(address);
  if (namesNoHost(range)) throw invalid(field, 'expected the address of one host');
  const isMetadata = [range, ...embeddedIpv4(range)].some((one) =>
    METADATA_SERVICES.some((service) => rangeWithin(one, service)),
  );
  if (isMetadata) throw invalid(field, `no agent asks ${formatIp(address)}, a metadata service of a cloud`);
  return formatIp(address);
}

function readUrl(text: string): URL {
  const url = new URL(text);
  if (url.password !== '') throw invalid('url', 'expected a URL without a password');
  readHost('url', url.hostname.replace(/^\[|\]$/g, ''));
  url.hash = '';
  if (url.href.length > MAX_URL) throw invalid('url', `expected at most ${MAX_URL} characters`);
  return url;
}

/** PTR records can be requested by address. */
function readName(text: string, record: Wanted['record']): string {
  const address = record === 'PTR' ? parseIp(text) : null;
  const name = address === null ? parseHostName(text) : formatIp({ ...address, zone: null });
  if (name === null) throw invalid('name', 'expected a host name');
  return name;
}
