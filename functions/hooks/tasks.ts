/** The tasks of the worker for hooks: a turn of one hook, or of each hook of a site. */
import * as z from 'zod';
import { HookId } from '../../shared/api/hooks.ts';
import { SiteId } from '../../shared/identity.ts';

export const HookTask = z.object({ site: SiteId, hook: HookId.optional() });
export type HookTask = z.infer<typeof HookTask>;
