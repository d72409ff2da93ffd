/** The generated documents, for `npm run specification`, and for the test that compares them. */
import packageJson from '../../package.json' with { type: 'json' };
import { asyncApiDocument } from './asyncapi.ts';
import { errorPage } from './error-page.ts';
import { openApiDocument } from './openapi.ts';

/** @returns the text of each document, by its path from the root */
export function documents(): Record<string, string> {
  const { version } = packageJson;
  const json = (document: object) => `${JSON.stringify(document, null, 2)}\n`;
  return {
    'docs/openapi.json': json(openApiDocument(version)),
    'docs/asyncapi.json': json(asyncApiDocument(version)),
    'docs/errors.md': errorPage(),
  };
}
