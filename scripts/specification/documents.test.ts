/** The documents that are checked in are those that the sources make, and what they say is complete and true. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERRORS } from '../../functions/http/errors.ts';
import { Control, Reply } from '../../shared/agent/messages.ts';
import { sourceOf, topics } from '../../shared/agent/topics.ts';
import type { Operations } from '../../shared/api/operation.ts';
import { tables } from '../../shared/api/tables.ts';
import { ErrorBody } from '../../shared/errors.ts';
import { CHANNELS, MESSAGES, type MessageName } from './asyncapi.ts';
import { documents } from './documents.ts';
import { errorsOf } from './openapi.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const made = documents();

test.each(Object.keys(made))('%s is up to date: otherwise run `npm run specification`', (path) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toBe(made[path]);
});

interface Described {
  operationId: string;
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { example?: unknown }> }>;
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  components: {
    responses: Record<string, { content: Record<string, { examples: Record<string, unknown> }> }>;
    examples: Record<string, { value: unknown }>;
    schemas: Record<string, unknown>;
  };
}

describe('the OpenAPI document', () => {
  const document = JSON.parse(made['docs/openapi.json'] ?? '') as Document;
  const operations = Object.values<Operations>(tables).flatMap((table) => Object.entries(table));

  test.each(operations)('%s: its scope, its bodies, its answers and its errors, with examples', (name, operation) => {
    const described = document.paths[operation.path]?.[operation.method.toLowerCase()];
    if (described === undefined) throw new Error(`${name} is missing`);
    expect(described.operationId).toBe(name);
    const { scope } = operation;
    expect(described.security).toEqual(scope === null ? [] : [{ token: scope === 'any' ? [] : [scope] }]);
    const media = (content: object | undefined) => Object.keys(content ?? {}).sort();
    const accepted = operation.body === undefined ? [] : ['application/json'];
    const uploads = operation.upload === undefined ? [] : ['multipart/form-data'];
    expect(media(described.requestBody?.content)).toEqual([...accepted, ...uploads]);

    const answer = described.responses[operation.status ?? 200];
    const main = [operation.mediaType ?? 'application/json'];
    expect(media(answer?.content)).toEqual([...main, ...(operation.otherMedia ?? [])].sort());
    for (const { example } of Object.values(answer?.content ?? {})) expect(example).toBeDefined();
    expect('202' in described.responses).toBe(
      operation.isCommand === true || operation.incomplete !== undefined || operation.status === 202,
    );
    expect('304' in described.responses).toBe(operation.hasEtag === true && operation.method === 'GET');

    for (const code of errorsOf(operation)) {
      const [, component = ''] =
        /^#\/components\/responses\/(\w+)$/.exec(String(described.responses[ERRORS[code][0]]?.$ref)) ?? [];
      expect(document.components.responses[component]?.content['application/json']?.examples).toHaveProperty(code);
    }
  });

  test('every error has an example that fits the schema of errors', () => {
    for (const [code, { value }] of Object.entries(document.components.examples)) {
      expect(ErrorBody.parse(value).code).toBe(code);
    }
    // Those that no operation has: the path exists, with other methods; and what assistants get, at /mcp.
    const shown = [...Object.keys(document.components.examples), 'method_not_allowed', 'unauthorized'];
    expect(shown.sort()).toEqual(Object.keys(ERRORS).sort());
  });

  test('every reference leads to a component, and no large schema is written twice', () => {
    const texts = new Map<string, number>();
    const refs: string[] = [];
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      if ('$ref' in node) refs.push(String(node.$ref));
      const { properties } = node as { properties?: unknown };
      if (properties !== undefined) {
        const text = JSON.stringify(node);
        texts.set(text, (texts.get(text) ?? 0) + 1);
      }
      for (const value of Object.values(node)) walk(value);
    };
    walk(document);
    for (const ref of refs) {
      const found = ref
        .slice(2)
        .split('/')
        .reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], document);
      expect([ref, found]).toEqual([ref, expect.anything()]);
    }
    const twice = [...texts]
      .filter(([text, count]) => count > 1 && text.length > 420)
      .map(([text]) => text.slice(0, 100));
    expect(twice).toEqual([]);
  });
});

describe('the AsyncAPI document', () => {
  test('every topic but filters and echoes has a channel', () => {
    // What is handed to rules has the channels of what the rules receive.
    const others = ['allForAgent', 'allForInstance', 'direct', 'echo'];
    expect([...Object.keys(CHANNELS), ...others].sort()).toEqual(Object.keys(topics).sort());
  });

  test.each(Object.entries(MESSAGES))('%s: its example is a message of its kind', (_, { schema, example }) => {
    expect(schema.safeParse(example).error).toBeUndefined();
  });

  test('every message of every topic is in its channel', () => {
    const kinds = (names: readonly MessageName[]) => names.map((name) => (MESSAGES[name].example as { t?: string }).t);
    const options = (union: unknown): string[] => {
      const { options: all, shape } = union as { options?: unknown[]; shape?: { t: { value: string } } };
      return all === undefined ? [shape?.t.value ?? ''] : all.flatMap(options);
    };
    expect(kinds(CHANNELS.control.messages)).toEqual(options(Control));
    expect(kinds(CHANNELS.reply.messages)).toEqual(options(Reply));
  });

  test.each(Object.entries(CHANNELS).filter(([, { action }]) => action === 'receive'))(
    '%s: what comes there is recognised by its address',
    (name, { address }) => {
      const values = { stage: 'prod', agent: 'home:main', instance: 'lr-prod-0a1b2c3d', event: 'connected' };
      const topic = address.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof values) => values[name]);
      expect(sourceOf(topic)).toEqual({ kind: name, stage: 'prod', agent: 'home:main' });
    },
  );
});

test('every error code has a cause, a cure and a heading of its own', () => {
  const page = made['docs/errors.md'] ?? '';
  for (const [code, [status]] of Object.entries(ERRORS)) {
    expect(page).toMatch(new RegExp(`## ${code}\\n\\n\\*\\*${status} .*\\n\\n- Cause: .+\\.\\n- Cure: .+\\.\\n`));
  }
});
