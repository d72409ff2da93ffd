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
