/** The hand-written parts of the OpenAPI document: its description, headers and parameters. */
import { ANSWER_HEADERS } from '../../shared/api/operation.ts';
import type { JsonSchema } from './json-schema.ts';

export const DESCRIPTION = `One API for the devices of many LANs, and for network diagnostics that run inside them.

A **site** is one LAN. A token grants scopes at some sites; most operations are about one site, in the query parameter
\`site\` or the header \`X-Site\`, by default that of the token.

All paths have in common:

- Every answer has \`X-Request-Id\`; that of the request is reused if it matches \`^[\\w.-]{1,64}$\`.
- GET operations also support HEAD, except those that run a command; OPTIONS lists the methods of a path.
- Another method is 405 \`method_not_allowed\` with the header \`Allow\`, an unknown path 404 \`not_found\`.
- Bodies are UTF-8. Unknown fields of a body are ignored unless the schema forbids them.
- Answers may get new fields at any time.
- The service checks a text or object with \`x-checked-further\` beyond its schema; the description has the rule.

docs/errors.md of the project explains every error code, with its cure.`;

export const HEADERS = {
  'X-Request-Id': 'The id of the request in the log of the service.',
  'Retry-After': 'Seconds after which a retry makes sense.',
  'WWW-Authenticate': '`Bearer`.',
  'LanReach-Token-Expires': 'When the token of the request expires, from 14 days before; not for a session.',
  'RateLimit-Policy': 'The number of requests of the token allowed in a number of seconds, if limited.',
  Link: 'The URL of the next page, with `rel="next"`; absent on the last page.',
  RateLimit: 'The remaining requests (`r`), and the seconds until all are available again (`t`).',
  ETag: 'Identifies this content, for `If-None-Match` and, of one device, `If-Match`.',
  'Preference-Applied': 'The applied preference (`Prefer`); absent without one.',
  ...ANSWER_HEADERS,
};
export type HeaderName = keyof typeof HEADERS;

const STRING: JsonSchema = { type: 'string' };
const header = (name: string, description: string, more: object = {}) => ({
  ...{ name, in: 'header', description },
  schema: STRING,
  ...more,
});

export const PARAMETERS = {
  Site: { name: 'site', in: 'query', description: 'The site. Default: that of the token.', schema: siteSchema() },
  XSite: header('X-Site', 'The site, instead of `site` in the query. If both are given they must agree.', {
    schema: siteSchema(),
  }),
  Prefer: header(
    'Prefer',
    '`respond-async`: answer 202 as soon as an agent has accepted the command. `wait=<seconds>`: wait at most this long for its end. Default: the limit of the service (25 seconds in the cloud, 280 on one machine, unless configured). While too many requests wait, the answer is 202 at once.',
    { example: 'respond-async' },
  ),
  IdempotencyKey: header(
    'Idempotency-Key',
    'Makes the request idempotent: for 24 hours another one with this key and the same content joins the same command.',
    { schema: { ...STRING, pattern: '^[\\x21-\\x7e]{1,200}$' } },
  ),
  IfNoneMatch: header(
    'If-None-Match',
    "ETags of the caller's content: the answer is 304 without a body if one is still current.",
  ),
  IfMatch: header('If-Match', 'ETag of the content as it was read: 412 if it has changed.'),
  LastEventId: header(
    'Last-Event-ID',
    'Of an event stream: the id of the last received event; the stream continues after it.',
  ),
} as const;
export type ParameterName = keyof typeof PARAMETERS;

function siteSchema(): JsonSchema {
  return { $ref: '#/components/schemas/SiteId' };
}
