/** OAuth requests are forms, and responses JSON. */
import { MAX_BODY_BYTES } from '../../../shared/api/operation.ts';
import { readBytes } from '../../http/request.ts';

/** RFC 6749 section 5.2, RFC 7591 section 3.2.2, RFC 8707 section 2. */
type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata';

/** An expected failure. Its message is for the client's developer, and quotes nothing that the client has sent. */
export class OAuthFailure extends Error {
  override name = 'OAuthFailure';
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const FORM = 'application/x-www-form-urlencoded';

/** @throws {OAuthFailure} `invalid_request` for another media type, and for a repeated field (RFC 6749, section 3.2) */
export async function formOf(request: Request): Promise<Fields> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  if (type !== FORM) throw new OAuthFailure('invalid_request', `expected the Content-Type ${FORM}`);
  const text = new TextDecoder().decode(await readBytes(request, MAX_BODY_BYTES));
  return fieldsOf(new URLSearchParams(text));
}

export type Fields = ReadonlyMap<string, string>;

/** An empty value counts as omitted. @throws {OAuthFailure} `invalid_request` for a repeated parameter */
export function fieldsOf(parameters: URLSearchParams): Fields {
  const fields = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (value === '') continue;
    if (fields.has(name)) throw new OAuthFailure('invalid_request', 'a parameter occurs twice');
    fields.set(name, value);
  }
  return fields;
}

/** @throws {OAuthFailure} `invalid_request` when it is missing */
export function required(fields: Fields, name: string): string {
  const value = fields.get(name);
  if (value === undefined) throw new OAuthFailure('invalid_request', `${name} is missing`);
  return value;
}

/** Never cached, because some responses hold tokens. */
export function json(body: object, status = 200): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Pragma: 'no-cache' },
  });
}

export function failureJson({ code, message }: OAuthFailure): Response {
  return json({ error: code, error_description: message }, code === 'invalid_client' ? 401 : 400);
}
