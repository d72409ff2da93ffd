/** Who may use a folder on Windows, which has no modes: the rights that its security descriptor grants. */
import type { RunProcess } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import { outputOf } from '../tools/exit.ts';

const TIMEOUT_MS = 20_000;

/** The system, administrators, and the account of the service: by their letters in SDDL, and by their ids. */
const TRUSTED: ReadonlySet<string> = new Set(['SY', 'BA', 'LS', 'S-1-5-18', 'S-1-5-32-544', 'S-1-5-19']);
/** Creator and owner: placeholders for who has made the folder, or what is in it. */
const OWNERS: ReadonlySet<string> = new Set(['CO', 'OW', 'S-1-3-0', 'S-1-3-4']);

/**
 * Others than this user, the service, administrators and the system to whom a folder grants anything, by their ids.
 * @throws {ToolFailure} when PowerShell does not say it
 */
export async function strangersIn(run: RunProcess, path: string): Promise<string[]> {
  const script = [
    "$ErrorActionPreference = 'Stop'",
    `(Get-Acl -LiteralPath '${path.replaceAll("'", "''")}').Sddl`,
    '[System.Security.Principal.WindowsIdentity]::GetCurrent().User.Value',
  ].join('; ');
  const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', script];
  const options = { timeoutMs: TIMEOUT_MS, maxBytes: 100_000 };
  const [sddl = '', own = ''] = (await outputOf(run, 'powershell', args, options)).trim().split(/\s*\n\s*/);
  if (!/^[OGDS]:/.test(sddl)) throw new ToolFailure('tool_failed', `powershell does not say who may use ${path}`);
  return strangersInSddl(sddl, own);
}

/** @param own the id of this user @returns a folder without a list of rights is everybody's */
export function strangersInSddl(sddl: string, own: string): string[] {
  const [, list] = /D:([A-Z_]*(?:\([^()]*\))*)/.exec(sddl) ?? [];
  if (list === undefined || list.includes('NO_ACCESS_CONTROL')) return ['WD'];
  const granted = [...list.matchAll(/\(([^()]*)\)/g)].flatMap(([, entry = '']) => {
    const [type = '', , , , , sid = ''] = entry.split(';');
    return /^(?:A|OA|XA)$/.test(type) ? [sid] : [];
  });
  const isKnown = (sid: string) => sid === own || TRUSTED.has(sid) || OWNERS.has(sid);
  return [...new Set(granted)].filter((sid) => !isKnown(sid)).sort();
}
