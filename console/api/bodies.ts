/** The schemas of what forms send. Loaded with the first form, because zod is as large as a screen. */
import type * as z from 'zod';
import { admin } from '../../shared/api/admin.ts';
import { batches } from '../../shared/api/batches.ts';
import { checks } from '../../shared/api/checks.ts';
import { hooks } from '../../shared/api/hooks.ts';
import type { Operation } from '../../shared/api/operation.ts';
import { people } from '../../shared/api/people.ts';
import { schedules } from '../../shared/api/schedules.ts';
import { shares } from '../../shared/api/shares.ts';
import { templates } from '../../shared/api/templates.ts';
import type { Route } from './client.ts';

const OPERATIONS = [admin, batches, checks, hooks, people, schedules, shares, templates].flatMap((table) =>
  Object.values<Operation>(table),
);

export function bodyOf(route: Route): z.ZodType | undefined {
  return OPERATIONS.find(({ method, path }) => `${method} ${path}` === route)?.body;
}
