/**
 * The layout in which earlier versions stored the identity: agent, broker and API in `identity.json`, and key,
 * certificate and authority in one file each. An identity that was to replace it was stored in a fifth file, together
 * with its stage: `issued` and `connected` during a renewal, and `current` while it replaced the other files one by
 * one.
 */
import * as z from 'zod';
import { FORMER_IDENTITY } from '../state/layout.ts';

const Replacement = z.looseObject({
  stage: z.enum(['issued', 'connected', 'current']),
  agent: z.string(),
  api: z.string().nullable().default(null),
});

/**
 * Converts the identity to the present layout, without checking keys and certificates.
 * @param described the content of `identity.json`; null when the file does not exist
 * @param read returns the content of a file of the state directory; null when the file does not exist
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
