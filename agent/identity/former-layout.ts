/**
 * The layout in which agents used to store their identity: agent, broker and API in `identity.json`, and key,
 * certificate and authority in a file each. One that was to replace it lay whole in a fifth file, with its stage:
 * `issued` and `connected` during a renewal, `current` when it had replaced the others, which might be written in part.
 */
import * as z from 'zod';
import { FORMER_IDENTITY } from '../state/layout.ts';

const Replacement = z.looseObject({
  stage: z.enum(['issued', 'connected', 'current']),
  agent: z.string(),
  api: z.string().nullable().default(null),
});

/**
 * The identity in the present layout; whether its parts can be used is not looked at.
 * @param described what `identity.json` holds; null when it is not there
 * @param read the content of a file of the state directory; null when it is not there
 * @returns null when there is no identity in the former layout
 */
export async function fromFormerLayout(
  described: unknown,
  read: (name: string) => Promise<string | null>,
): Promise<object | null> {
  if (typeof described === 'object' && described !== null && 'current' in described) return null;
  const replacement = parsed(await read(FORMER_IDENTITY.replacement));
  if (replacement?.stage === 'current') {
    return { agent: replacement.agent, api: replacement.api, current: replacement, next: null };
  }
  if (typeof described !== 'object' || described === null) return null;
  const current = {
    ...described,
    key: await read(FORMER_IDENTITY.key),
    certificate: await read(FORMER_IDENTITY.certificate),
    authority: await read(FORMER_IDENTITY.authority),
  };
  return { api: null, ...described, current, next: replacement };
}

function parsed(text: string | null): z.infer<typeof Replacement> | null {
  try {
    return Replacement.parse(JSON.parse(text ?? ''));
  } catch {
    return null;
  }
}
