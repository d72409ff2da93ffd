/** Reads an OpenAPI document as a test needs it: every operation with its references resolved, and its schemas as checks. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  additionalProperties?: Schema | boolean;
  'x-checked-further'?: boolean;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

interface Media {
  schema: Schema;
  example?: unknown;
}

export interface Answer {
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}

export interface Operation {
  method: string;
  path: string;
  operationId: string;
  needsToken: boolean;
  parameters: Parameter[];
  body: { required: boolean; content: Record<string, Media> } | null;
  answers: Map<number, Answer>;
}

export interface Contract {
  operations: Operation[];
  resolve<Node extends object>(node: Node): Node;
  /** A check of requests: what the document says, no more. */
  accepts(schema: Schema): ValidateFunction;
  /** A check of answers, which may hold nothing that the document does not name. */
  answers(schema: Schema): ValidateFunction;
}

interface Document {
  paths: Record<string, Record<string, DescribedOperation>>;
}

interface DescribedOperation {
  operationId: string;
  security: object[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Answer>;
}

export function readContract(document: object): Contract {
  const requests = checker(document);
  const exact = checker(closed(document) as object);

  function resolve<Node extends object>(node: Node): Node {
    if (!('$ref' in node) || typeof node.$ref !== 'string') return node;
    const keys = node.$ref.slice(2).split('/');
    const found = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as Node;
    return resolve({ ...found, ...node, $ref: undefined });
  }

  const operations = Object.entries((document as Document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => {
      const { operationId, security, parameters = [], requestBody, responses } = described;
      return {
        method: method.toUpperCase(),
        path,
        operationId,
        needsToken: security.length > 0,
        parameters: parameters.map(resolve),
        body:
          requestBody === undefined ? null : { required: requestBody.required ?? false, content: requestBody.content },
        answers: new Map(Object.entries(responses).map(([status, answer]) => [Number(status), resolve(answer)])),
      };
    }),
  );
  return { operations, resolve, accepts: requests, answers: exact };
}

/** Compiles each schema once. */
function checker(document: object): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false, addUsedSchema: false });
  ajv.addSchema({ ...document, $id: 'contract' });
  const compiled = new Map<string, ValidateFunction>();
  return (schema) => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"contract#/');
    const known = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, known);
    return known;
  };
}

/** The same document with objects that allow no other fields than they name, unless they say that they do. */
export function closed(node: unknown, isPart = false): unknown {
  if (Array.isArray(node)) return node.map((one) => closed(one, isPart));
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(
    // The parts of `allOf` see the fields of each other.
    Object.entries(node).map(([key, value]) => [key, closed(value, key === 'allOf')]),
  );
  const isOpen = isPart || !('properties' in copy) || 'additionalProperties' in copy || copy.type !== 'object';
  return isOpen ? copy : { ...copy, additionalProperties: false };
}
