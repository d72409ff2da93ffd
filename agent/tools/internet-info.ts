/** The public IP address of the site, its location and its provider, from a public service. */
import * as z from 'zod';
import { parseJson } from '../../shared/json.ts';
import { formatIp, parseIp } from '../../shared/network.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { ToolResult } from '../../shared/tools/list.ts';
import { readBody, reasonOf } from '../host/fetched.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { type AgentTool, Switch, type ToolAnswer, type ToolContext } from './tool.ts';

/** By priority. */
const PROVIDERS = ['https://ipinfo.io/json', 'https://ifconfig.co/json', 'https://ipapi.co/json/'];
const ANSWER_WITHIN_MS = 5_000;
const MAX_BYTES = 64 * 1024;
const MAX_FIELD = 200;

type InternetInfo = ToolResult<'internetinfo'>;

const queryPublicServices = createInternetInfo(PROVIDERS);

export const internetInfo = {
  rules: Switch,
  run: (_command, context) => queryPublicServices(context),
} satisfies AgentTool<'internetinfo'>;

/** Caches the answer of a public service for a minute: they are free, and rate-limited. Never that of a configured one. */
export function createInternetInfo(providers: readonly string[]) {
  let kept: { info: InternetInfo; until: number } | null = null;

  return async ({ settings, signal, onOutput }: ToolContext): Promise<ToolAnswer<InternetInfo>> => {
    let info: InternetInfo;
    if (settings.internetInfoUrl !== null) {
      info = await queryFirst([settings.internetInfoUrl], signal);
    } else if (kept !== null && performance.now() < kept.until) {
      info = kept.info;
    } else {
      info = await queryFirst(providers, signal);
      kept = { info, until: performance.now() + MINUTE_MS };
    }
    const output = `${infoLine(info)}\n`;
    onOutput(output);
    return { output, truncated: false, result: info };
  };
}

/** The answer of the first service that responds. */
async function queryFirst(urls: readonly string[], signal: AbortSignal): Promise<InternetInfo> {
  const faults: string[] = [];
  for (const url of urls) {
    try {
      return { ...parseInternetInfo(await fetchText(url, signal)), at: new Date().toISOString() };
    } catch (error) {
      if (signal.aborted) throw new ToolFailure('cancelled', 'The look-up of the public address was cancelled');
      faults.push(`${new URL(url).host}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new ToolFailure('tool_failed', `The public address could not be determined: ${faults.join('; ')}`);
}

/** Rejects redirects, because they usually lead to a captive portal. */
async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  const limit = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const headers = { accept: 'application/json', 'user-agent': 'lanreach-agent' };
  try {
    const response = await fetch(url, { redirect: 'error', headers, signal: AbortSignal.any([signal, limit]) });
    if (!response.ok) {
      await response.body?.cancel();
      throw new ToolFailure('tool_failed', `it answered with status ${response.status}`);
    }
    const body = await readBody(response, MAX_BYTES);
    if (body === null) throw new ToolFailure('tool_failed', `its answer is longer than ${MAX_BYTES / 1024} KiB`);
    return body.toString('utf8');
  } catch (error) {
    if (limit.aborted) throw new ToolFailure('tool_failed', `no answer within ${ANSWER_WITHIN_MS / 1000} s`);
    if (error instanceof ToolFailure) throw error;
    throw new ToolFailure('tool_failed', reasonOf(error), { cause: error });
  }
}

/** Only the address is required. */
const Field = z.string().catch('');
/** The field names of the supported services. */
const Answer = z.looseObject({
  ip: z.string(),
  city: Field,
  country: Field,
  country_code: Field,
  country_iso: Field,
  org: Field,
  organisation: Field,
  organization: Field,
  asn_org: Field,
});

/** @throws {ToolFailure} `tool_failed` for anything but a JSON object with a valid IP address */
export function parseInternetInfo(body: string): Omit<InternetInfo, 'at'> {
  if (body.trim() === '') throw new ToolFailure('tool_failed', 'its answer is empty');
  const json = parseJson(body);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new ToolFailure('tool_failed', 'its answer is no JSON object');
  const { data: answer } = Answer.safeParse(json);
  const ip = parseIp(answer?.ip.trim() ?? '');
  if (answer === undefined || ip === null)
    throw new ToolFailure('tool_failed', 'the field "ip" of its answer is no IP address');
  return {
    ip: formatIp(ip),
    city: oneLine(answer.city),
    country: oneLine(answer.country || answer.country_code || answer.country_iso),
    organisation: oneLine(answer.org || answer.organisation || answer.organization || answer.asn_org),
  };
}

/** Sanitizes external text for a line: no control characters, no bidirectional marks, limited length. */
function oneLine(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return [...clean].slice(0, MAX_FIELD).join('');
}

/** `<ip> <city>, <country> <organisation>`, without unknown parts. */
export function infoLine({ ip, city, country, organisation }: Omit<InternetInfo, 'at'>): string {
  const place = [city, country].filter((text) => text !== '').join(', ');
  return [ip, place, organisation].filter((text) => text !== '').join(' ');
}
