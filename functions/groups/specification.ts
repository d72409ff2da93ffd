/** `/openapi.json`: a generated file, sent without its white space. */
import { readFile } from 'node:fs/promises';
import { specification as operations } from '../../shared/api/specification.ts';
import { routesOf } from '../access/routes.ts';
import type { RequestContext } from '../http/context.ts';
import { EncodedBody } from '../http/encoded-body.ts';
import { etagOf } from '../http/etag.ts';
import { HandlerResult } from '../http/handler-result.ts';

/** By file. Read at the first request, so that no start waits for it. */
const documents = new Map<string, EncodedBody>();

export const specificationRoutes = routesOf(operations, {
  async openApi({ openApiFile }: RequestContext & { openApiFile: string }) {
    const known = documents.get(openApiFile);
    if (known !== undefined) return new HandlerResult(known);
    const text = JSON.stringify(JSON.parse(await readFile(openApiFile, 'utf8')));
    const document = new EncodedBody(() => [text], { contentType: 'application/json', etag: etagOf(text) });
    documents.set(openApiFile, document);
    return new HandlerResult(document);
  },
});
