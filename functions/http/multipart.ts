/** Forms with files (multipart/form-data, RFC 7578). */
import { getMultipartBoundary, MaxPartsExceededError, parseMultipart } from '@remix-run/multipart-parser';
import { invalid } from './errors.ts';

/** Fields of a form. One is needed; some clients add a few of their own. */
const MAX_PARTS = 20;
const MAX_HEADER_BYTES = 8 * 1024;
const MALFORMED = 'expected a well-formed multipart/form-data body';

/**
 * The content of the field of this name, whether sent as a file or as text; null when the form has none.
 * @throws {ServiceError} `validation_failed` when the body is not such a form, has too many fields, or holds a second file,
 *   which would be dropped silently
 */
export function readFormField(body: Uint8Array, contentType: string, name: string): Uint8Array | null {
  const boundary = getMultipartBoundary(contentType);
  if (boundary === null) throw invalid('', MALFORMED);
  let found: Uint8Array | null = null;
  let files = 0;
  try {
    const parts = parseMultipart(body, {
      boundary,
      maxParts: MAX_PARTS,
      maxHeaderSize: MAX_HEADER_BYTES,
      maxFileSize: body.length,
      maxTotalSize: body.length,
    });
    // All parts are read, so that a truncated form is detected.
    for (const part of parts) {
      if (part.name === name) found ??= part.bytes;
      // Browsers send a file input in which nothing was chosen with an empty name.
      if (part.name === name || part.filename) files++;
    }
  } catch (error) {
    const message =
      error instanceof MaxPartsExceededError ? `expected a form with at most ${MAX_PARTS} fields` : MALFORMED;
    throw invalid('', message);
  }
  if (files > 1) throw invalid(name, 'expected one file: send one file in each request');
  return found;
}
