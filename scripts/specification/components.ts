/** The parts of the OpenAPI document that are written by hand: its description, headers and parameters. */
import { ANSWER_HEADERS } from '../../shared/api/operation.ts';
import type { JsonSchema } from './json-schema.ts';

export const DESCRIPTION = `One API for the devices of many LANs, and for network diagnostics that run inside them.

A **site** is one LAN. A token says which sites it may use and for what; most operations are about one site, which is
chosen by the query parameter \`site\` or the header \`X-Site\`, and is the default site of the token otherwise.

What every path has in common:

- Every answer has \`X-Request-Id\`; one that the request brings is taken over if it fits \`^[\\w.-]{1,64}$\`.
- GET also answers HEAD, but for operations that run a command; OPTIONS names the methods of a path.
- Another method is 405 \`method_not_allowed\` with the header \`Allow\`, an unknown path 404 \`not_found\`.
- Bodies are UTF-8. Unknown fields of a body are ignored where the schema does not forbid them.
- Answers may get new fields at any time.
- A text or object with \`x-checked-further\` is checked more than its schema says; the description has the rule.

The meaning of every error code, with its cure, stands in docs/errors.md of the project.`;

export const HEADERS = {
  'X-Request-Id': 'The id of the request in the log of the service.',
  'Retry-After': 'Seconds after which another try makes sense.',
  'WWW-Authenticate': '`Bearer`.',
  'LanReach-Token-Expires': 'When the token of the request ends, from 14 days before; not for a session.',
  'RateLimit-Policy': 'How many requests of the token are allowed in how many seconds, where that is limited.',
  Link: 'The URL of the next page, with `rel="next"`; absent on the last page.',
  RateLimit: 'How many of them are left (`r`), and in how many seconds all are (`t`).',
  ETag: 'Names this content, for `If-None-Match` and, of one device, `If-Match`.',
  'Preference-Applied': 'The preference (`Prefer`) that was followed; absent without one.',
  ...ANSWER_HEADERS,
};
export type HeaderName = keyof typeof HEADERS;

export const PARAMETERS = {
  Site: { name: 'site', in: 'query', description: 'The site. Default: that of the token.', schema: siteSchema() },
  XSite: {
    name: 'X-Site',
    in: 'header',
    description: 'The site, instead of `site` in the query. When both are given they must agree.',
    schema: siteSchema(),
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`respond-async`: answer 202 as soon as an agent has accepted the command. `wait=<seconds>`: wait for its end at most so long. Default: as long as the service lets calls wait (25 seconds in the cloud, 280 on one machine, unless set otherwise). While too many calls wait, the answer is 202 at once.',
    schema: { type: 'string' },
    example: 'respond-async',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to repeat: for 24 hours another one with this key and the same content joins the same command.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,200}$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags of what the caller has: the answer is 304 without a body if it is still that.',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'ETag of the device as it was read: 412 if it is no longer that.',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Of an event stream: the id of the last event that the caller has; the stream goes on behind it.',
    schema: { type: 'string' },
  },
} as const;
export type ParameterName = keyof typeof PARAMETERS;

function siteSchema(): JsonSchema {
  return { $ref: '#/components/schemas/SiteId' };
}
