/** `/openapi.json`: the description of this API. */
import * as z from 'zod';
import { type Operations, route } from './operation.ts';

export const specification = {
  openApi: {
    ...route('GET', '/openapi.json', null),
    summary: 'This document: every operation, its fields, its answers and its errors, in OpenAPI 3.1',
    response: z.looseObject({ openapi: z.string() }),
    hasEtag: true,
    example: { response: { openapi: '3.1.1', info: { title: 'LanReach', version: '0.3.0' }, paths: {} } },
  },
} as const satisfies Operations;
