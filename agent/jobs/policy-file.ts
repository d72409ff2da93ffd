/** The file in which the operator of a host says what the agent may do. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../shared/errno.ts';
import { parseJson } from '../../shared/json.ts';
import { STATE } from '../state/layout.ts';
import { type AgentPolicy, parsePolicy } from './policy.ts';

/**
 * Reads the policy from its file.
 * @throws {Error} when it cannot be read or is malformed, because an agent must not run with a part of its policy
 */
export async function readPolicy(stateDirectory: string, policyFile: string | null): Promise<AgentPolicy> {
  const path = policyFile ?? join(stateDirectory, STATE.policy);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const absent = codeOf(error) === 'ENOENT';
    if (absent && policyFile === null) return parsePolicy({});
    throw new Error(`Cannot read the policy file ${path}: ${error instanceof Error ? error.message : error}`);
  }
  const json = parseJson(text);
  if (json === null) throw new Error(`The policy file ${path} is not JSON`);
  return parsePolicy(json);
}
