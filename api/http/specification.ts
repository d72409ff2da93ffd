/** `/openapi.json`: a file that is made when the sources change, and sent as it is. */
import { specification as operations } from '../../shared/api/specification.ts';
import { Answer } from './answer.ts';
import { EncodedBody } from './encoded-body.ts';
import { etagOf } from './etag.ts';
import { type Group, group } from './routes.ts';

/** @param read the text of docs/openapi.json, which is read at the first request, so that no start waits for it */
export function specificationGroup(read: () => Promise<string>): Group {
  let document: Promise<EncodedBody> | null = null;
  async function encode(): Promise<EncodedBody> {
    const text = JSON.stringify(JSON.parse(await read())); // Without white space, it is half as long.
    return new EncodedBody(() => [text], { contentType: 'application/json', etag: etagOf(text) });
  }
  return group(operations, {
    async openApi() {
      document ??= encode();
      try {
        return new Answer(await document);
      } catch (error) {
        document = null; // Read again next time.
        throw error;
      }
    },
  });
}
