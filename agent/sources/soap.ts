/** Actions of UPnP by SOAP 1.1, and XML that a product answers with. */
import * as z from 'zod';
import { parseUntrustedXml } from '../recognition/upnp-description.ts';
import { plain } from '../tools/nmap-report.ts';
import { StatusFailure } from './answers.ts';
import { SourceFailure, type SourceHttpAnswer, type SourceHttpRequest } from './source.ts';

export type Send = (options: SourceHttpRequest) => Promise<SourceHttpAnswer>;

/** The text of an element; undefined when it is absent, or holds others. */
export const ElementText = z.string().transform(plain).optional().catch(undefined);

/** The parser gives an element itself where there is but one, and an empty text for an element without content. */
export function elements(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined ? [] : [value];
}

/**
 * Parses the XML of an answer with status 200.
 * @param root its element. The parser reads cut text without complaint, so that the end is looked at
 * @throws {SourceFailure}
 */
export function parseXmlAnswer({ status, body }: SourceHttpAnswer, url: URL, root: string): unknown {
  if (status !== 200) throw new StatusFailure(status, url);
  const failure = new SourceFailure(`${url.host}${url.pathname} did not answer with complete XML`);
  if (!new RegExp(`</(?:[\\w-]+:)?${root}>\\s*$`).test(body.slice(-200))) throw failure;
  try {
    return parseUntrustedXml(body);
  } catch {
    throw failure;
  }
}

const Output = z.record(z.string(), ElementText);
const Envelope = z.object({ Envelope: z.object({ Body: z.record(z.string(), Output.catch({})) }) });

/** Runs an action. @returns its output by name @throws {SourceFailure}; an error of UPnP has status 500 */
export async function runAction(
  send: Send,
  { url, service }: { url: URL; service: string },
  action: string,
  input = '',
): Promise<z.infer<typeof Output>> {
  const body = `<?xml version="1.0" encoding="utf-8"?>
<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">
<s:Body><u:${action} xmlns:u="${service}">${input}</u:${action}></s:Body>
</s:Envelope>`;
  const headers = { 'content-type': 'text/xml; charset="utf-8"', soapaction: `${service}#${action}` };
  const answer = parseXmlAnswer(await send({ url, method: 'POST', headers, body }), url, 'Envelope');
  const output = Envelope.safeParse(answer).data?.Envelope.Body[`${action}Response`];
  if (output === undefined) throw new SourceFailure(`${url.host} did not answer ${action} as its service defines it`);
  return output;
}
