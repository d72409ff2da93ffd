/**
 * The neighbour table of Windows, by PowerShell: `arp -a` does not say whether an entry still holds. Nor does the table say when
 * a neighbour was last confirmed, which may be three quarters of a minute ago. So who counts as reachable is sent a ping as well:
 * only one that answers, or that was not reachable when the table was read before, has just answered.
 */
import { networkInterfaces } from 'node:os';
import { parseIp } from '../../shared/network.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { outputOf } from '../tools/exit.ts';
import { type Evidence, evidenceOf, type ScanContext } from './evidence.ts';

/** As in `neighbours.ts`. */
interface Neighbour extends Evidence {
  state: string;
}

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 1_000_000;
const MOST_PINGS = 256;
const PING_WITHIN_MS = 1_000;

/** NL_NEIGHBOR_STATE: what is lower is no neighbour, what is higher was written by hand. */
const STATES: Readonly<Record<string, string>> = { 2: 'PROBE', 3: 'DELAY', 4: 'STALE', 5: 'REACHABLE' };

/**
 * What PowerShell is to run. It has no double quotes, which would not reach it unchanged.
 * @param own a literal address of the interface
 */
export function neighbourScript(own: string, family: 4 | 6): string {
  return [
    "$ErrorActionPreference = 'Stop'",
    `$index = @(Get-NetIPAddress -IPAddress '${own}')[0].InterfaceIndex`,
    `$table = @(Get-NetNeighbor -InterfaceIndex $index -AddressFamily IPv${family} -ErrorAction SilentlyContinue | Where-Object { [int]$_.State -ge 2 -and [int]$_.State -le 5 })`,
    `$near = @($table | Where-Object { [int]$_.State -eq 5 } | Select-Object -First ${MOST_PINGS})`,
    `$pings = @($near | ForEach-Object { (New-Object System.Net.NetworkInformation.Ping).SendPingAsync($_.IPAddress, ${PING_WITHIN_MS}) })`,
    `try { [void][System.Threading.Tasks.Task]::WaitAll([System.Threading.Tasks.Task[]]$pings, ${2 * PING_WITHIN_MS}) } catch { }`,
    '$answered = @{}',
    "for ($i = 0; $i -lt $near.Count; $i++) { if ($pings[$i].Status -eq 'RanToCompletion' -and $pings[$i].Result.Status -eq 'Success') { $answered[$near[$i].IPAddress] = 1 } }",
    "$table | ForEach-Object { '{0} {1} {2} {3}' -f $_.IPAddress, $_.LinkLayerAddress, [int]$_.State, [int]$answered.ContainsKey($_.IPAddress) }",
  ].join('; ');
}

/** What was reachable when a table was read before, and when that was. */
export interface FormerTable {
  at: number;
  reachable: ReadonlySet<string>;
}

/** By interface and family. */
const formerTables = new Map<string, FormerTable>();

/**
 * @param startedAt when the cycle began, by `performance.now()`
 * @throws {ToolFailure} when PowerShell fails, or the interface has gone
 */
export async function readWindowsNeighbours(
  { run, signal }: ScanContext,
  family: 4 | 6,
  name: string,
  startedAt: number,
): Promise<Neighbour[]> {
  const at = performance.now();
  const own = networkInterfaces()[name]?.find(({ family: of }) => of === 'IPv4')?.address ?? '';
  if (parseIp(own) === null) throw new ToolFailure('tool_failed', `${name} has no address`);
  const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', neighbourScript(own, family)];
  const text = await outputOf(run, 'powershell', args, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, signal });
  const key = `${family} ${name}`;
  const found = parseWindowsNeighbours(text, formerTables.get(key) ?? null, startedAt);
  const reachable = found.filter(({ state }) => state === 'REACHABLE').map(keyOf);
  formerTables.set(key, { at, reachable: new Set(reachable) });
  return found;
}

/** From lines of address, MAC, state, and whether a ping was answered. */
export function parseWindowsNeighbours(text: string, former: FormerTable | null, startedAt: number): Neighbour[] {
  const since = former !== null && former.at >= startedAt ? former.reachable : null;
  return text.split('\n').flatMap((line) => {
    const [, ip = '', mac = '', number = '', answered] = /^(\S+) (\S+) (\d) ([01])\s*$/.exec(line) ?? [];
    const state = STATES[number];
    const evidence = evidenceOf(ip, mac, false);
    if (evidence === null || state === undefined) return [];
    const isNewlyReachable = state === 'REACHABLE' && since?.has(keyOf(evidence)) === false;
    return [{ ...evidence, fresh: answered === '1' || isNewlyReachable, state }];
  });
}

const keyOf = ({ ip, mac }: Evidence) => `${ip} ${mac}`;
