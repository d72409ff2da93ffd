/** The page about the errors. */
import { ERRORS } from '../../functions/http/errors.ts';
import { ERROR_MEANINGS, type ErrorCode } from '../../shared/errors.ts';

export function errorPage(): string {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return `# Errors

Every failed request has the same JSON. \`code\` is for programs and \`message\` for people; \`errors\` names the invalid
fields; \`requestId\` is also the header \`X-Request-Id\`, and is in the log of the service.

\`\`\`json
{
  "success": false,
  "error": "Not Found",
  "message": "The job home.01934c1e-5f00-7a11-8a22-0123456789ab does not exist",
  "code": "not_found",
  "requestId": "6f1c1f0e-3b0a-4d59-9f6e-0a4b8c2d7e11"
}
\`\`\`

A stream of events that fails after its start ends with the event \`error\`, with \`code\`, \`message\`, \`requestId\` and, if a
retry makes sense, \`retryAfter\` in seconds.

This page is generated from \`shared/errors.ts\` by \`npm run specification\`.

${codes.map(section).join('\n')}`;
}

function section(code: ErrorCode): string {
  const [status, title] = ERRORS[code];
  const { cause, cure, example } = ERROR_MEANINGS[code];
  return `## ${code}

**${status} ${title}**, such as: _${example.replace(/[*_<>]/g, '\\$&')}_

- Cause: ${cause}
- Cure: ${cure}
`;
}
