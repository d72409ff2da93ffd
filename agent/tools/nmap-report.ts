/** Parses the XML report of nmap. */
import { XMLParser } from 'fast-xml-parser';
import * as z from 'zod';
import { fitToReport } from '../../shared/agent/fit-text.ts';
import { MAX_OBSERVATION_CHARACTERS } from '../../shared/agent/observations.ts';
import { parseMac } from '../../shared/network.ts';
import type { ToolResult } from '../../shared/tools/list.ts';
import { type Banner, MAX_BANNERS } from '../../shared/tools/nmap.ts';
import { listOf } from '../host/json-items.ts';
import { ToolFailure } from '../host/tool-failure.ts';

/** Decodes no entities, so no report grows in memory; `plain` decodes texts. @param lists elements that may repeat */
export function reportParser(lists: readonly string[]): XMLParser {
  return new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseAttributeValue: false,
    parseTagValue: false,
    processEntities: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    isArray: (name) => lists.includes(name),
  });
}
const PARSER = reportParser('host address hostname port extraports extrareasons osmatch scaninfo script'.split(' '));

const Text = z.string().transform(plain);
/** The parser returns an empty text for an element without attributes and children. */
const element = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => (value === '' ? {} : value), z.object(shape));
const Port = element({
  portid: z.coerce.number().int(),
  protocol: z.string().default(''),
  state: element({ state: z.string() }),
  service: element({ name: Text.optional(), product: Text.optional(), version: Text.optional() })
    .optional()
    .catch(undefined),
  script: listOf(element({ id: z.string().default(''), output: Text.optional() })),
});
/** Unlisted ports with a common state. nmap names them since 7.80. */
const ExtraPorts = element({
  state: z.string().default(''),
  extrareasons: listOf(element({ proto: z.string().default(''), ports: z.string().default('') })),
});
const Host = element({
  timedout: z.string().optional(),
  status: element({ state: z.string() }).optional(),
  address: listOf(element({ addr: z.string(), addrtype: z.string(), vendor: Text.optional() })),
  hostnames: element({ hostname: listOf(element({ name: Text })) }).optional(),
  ports: element({ port: listOf(Port), extraports: listOf(ExtraPorts) }).optional(),
  os: element({ osmatch: listOf(element({ name: Text })) }).optional(),
});
const Report = z.object({
  nmaprun: element({
    scaninfo: listOf(element({ protocol: z.string().optional(), services: z.string().optional() })),
    host: listOf(Host),
    runstats: element({
      finished: element({ exit: z.string().optional(), errormsg: Text.optional() }),
      hosts: element({ up: z.coerce.number().int(), total: z.coerce.number().int() }),
    }),
  }),
});

interface NmapReport extends ToolResult<'nmap'> {
  /** `success`, or `error`, which has a message. */
  exit: string | null;
  complaint: string | null;
}

/** Parses the report (-oX); skips invalid hosts, ports and names. @throws {ToolFailure} for other or cut text */
export function parseReport(xml: string): NmapReport {
  let report: z.infer<typeof Report>['nmaprun'];
  try {
    report = Report.parse(PARSER.parse(xml)).nmaprun;
  } catch (cause) {
    throw new ToolFailure('tool_failed', 'The report of nmap could not be parsed', { cause });
  }
  const { finished, hosts } = report.runstats;
  const triedPorts = (wanted: string) =>
    report.scaninfo.flatMap(({ protocol, services = '' }) => (protocol === wanted ? services : [])).join(',');
  const triedUdpPorts = triedPorts('udp');
  return {
    exit: finished.exit ?? null,
    complaint: finished.errormsg ?? null,
    hosts: report.host.map(hostOf),
    hostsUp: hosts.up,
    hostsTotal: hosts.total,
    triedTcpPorts: triedPorts('tcp') || null,
    ...(triedUdpPorts === '' ? {} : { triedUdpPorts }),
  };
}

function hostOf(host: z.infer<typeof Host>): ToolResult<'nmap'>['hosts'][number] {
  const link = host.address.find(({ addrtype }) => addrtype === 'mac');
  const unclear = (host.ports?.extraports ?? []).filter(({ state }) => state === 'open|filtered');
  const unclearPorts = unclear.flatMap(({ extrareasons }) => extrareasons.map(({ ports }) => ports)).join(',');
  const banners = bannersOf(host.ports?.port ?? []);
  return {
    address: host.address.find(({ addrtype }) => addrtype !== 'mac')?.addr ?? '',
    mac: link === undefined ? null : parseMac(link.addr),
    vendor: link?.vendor ?? null,
    names: (host.hostnames?.hostname ?? []).map(({ name }) => name),
    state: host.status?.state ?? 'unknown',
    timedOut: host.timedout === 'true',
    os: host.os?.osmatch[0]?.name ?? null,
    ...(unclearPorts === '' ? {} : { unclearPorts }),
    ...(banners.length === 0 ? {} : { banners }),
    ports: (host.ports?.port ?? []).map(({ portid, protocol, state, service }) => ({
      port: portid,
      protocol,
      state: state.state,
      service: service?.name ?? null,
      product: service?.product ?? null,
      version: service?.version ?? null,
    })),
  };
}

/** The banners of services, from the scripts of mode `detail`. */
function bannersOf(ports: readonly z.infer<typeof Port>[]): Banner[] {
  const banners = ports.flatMap(({ script }) =>
    script.flatMap(({ id, output = '' }) => {
      const source = BANNERS[id];
      if (source === undefined) return [];
      const [first = ''] = output.trim().split('\n', 1);
      const value = fitToReport(first.replace(/^Subject: /, ''), MAX_OBSERVATION_CHARACTERS);
      // The script prints this without a title.
      return value === null || value.startsWith("Site doesn't have a title") ? [] : [{ source, value }];
    }),
  );
  return banners.slice(0, MAX_BANNERS);
}

const BANNERS: Readonly<Record<string, Banner['source']>> = {
  'http-title': 'http-title',
  'http-server-header': 'http-server',
  'ssl-cert': 'tls',
};

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Decodes the five entities of XML and its character references, once: `&amp;lt;` means `&lt;`. */
export function plain(text: string): string {
  return text.replace(
    /&(?:([a-z]+)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (whole, name?: string, dec?: string, hex?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = dec === undefined ? Number.parseInt(hex ?? '', 16) : Number(dec);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
