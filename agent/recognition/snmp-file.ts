/**
 * The file in which the operator of a host gives the agent SNMP credentials. Without it the agent queries no device by SNMP.
 * Its content is secret: it appears in no log, error or message.
 */
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { codeOf } from '../../shared/errno.ts';
import { parseJson } from '../../shared/json.ts';
import { Ipv4Network } from '../jobs/policy.ts';
import { STATE } from '../state/layout.ts';
import { readRegularFile } from '../state/regular-file.ts';

const Networks = z.array(Ipv4Network).min(1).max(100);
/** RFC 3414 requires at least eight characters. */
const Key = z.string().min(8).max(64);
const User = { version: z.literal('3'), networks: Networks, user: z.string().min(1).max(32) };
const Authentication = { authProtocol: z.enum(['MD5', 'SHA', 'SHA224', 'SHA256', 'SHA384', 'SHA512']), authKey: Key };

export const SnmpCredentials = z.discriminatedUnion('version', [
  z.strictObject({ version: z.literal('2c'), networks: Networks, community: z.string().min(1).max(64) }),
  z.discriminatedUnion('level', [
    z.strictObject({ ...User, level: z.literal('noAuthNoPriv') }),
    z.strictObject({ ...User, level: z.literal('authNoPriv'), ...Authentication }),
    z.strictObject({
      ...User,
      level: z.literal('authPriv'),
      ...Authentication,
      // Not DES: the OpenSSL of Node.js no longer has it.
      privProtocol: z.enum(['AES', 'AES256B', 'AES256R']),
      privKey: Key,
    }),
  ]),
]);
/** Credentials for the devices of some networks. */
export type SnmpCredentials = z.output<typeof SnmpCredentials>;

const SnmpFile = z.array(SnmpCredentials).max(32);
const MAX_BYTES = 64 * 1024;

export function snmpPath(stateDirectory: string, snmpFile: string | null): string {
  return snmpFile ?? join(stateDirectory, STATE.snmp);
}

/**
 * The entries in the order of the file; null without a file.
 * @throws {Error} when others than its owner may read it, or it is malformed. The message names the file, not its content.
 */
export async function readSnmpFile(path: string): Promise<SnmpCredentials[] | null> {
  const name = resolve(path);
  let text: string;
  try {
    text = await readRegularFile(path, MAX_BYTES, true);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new Error(`Cannot use the SNMP credentials in ${name}: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = SnmpFile.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  // Only the positions: the text of an issue may quote the content.
  const faults = [...new Set(parsed.error.issues.map(({ path: at, code }) => `${at.join('.') || 'file'} (${code})`))];
  throw new Error(`Cannot use the SNMP credentials in ${name}, malformed at ${faults.slice(0, 10).join(', ')}`);
}
