/**
 * The rights of the functions on a table in memory: a call that the role of its function would not allow fails. So every test
 * of the API, and of the work without requests (`background-work.ts`), shows as well that the function in the cloud may do what
 * it does. `cdk/stack.system.test.ts` has what the roles must not allow.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { background } from '../../functions/groups/background.ts';
import type { Group } from '../../functions/groups/group.ts';
import { groups } from '../../functions/groups/list.ts';
import { FORMAT_RIGHT, type Rights, type TableRight } from '../../functions/groups/rights.ts';
import { conditionInput, projectionInput, updateInput } from '../../functions/table/expression.ts';
import { type Key, rows } from '../../functions/table/rows.ts';
import type { ConditionalWrite, Table } from '../../functions/table/table.ts';
import type { TaskQueue } from '../../functions/task-queue.ts';

const FUNCTIONS = { ...groups, ...background };
export type FunctionName = keyof typeof FUNCTIONS;

const running = new AsyncLocalStorage<FunctionName | undefined>();

/** Does the work as this function. What no function does is not judged. */
export const asFunction = <Result>(name: FunctionName, work: () => Result): Result => running.run(name, work);

/** What a test does in the middle of a function's work. */
export const asTest = <Result>(work: () => Result): Result => running.run(undefined, work);

/** The same methods, as this function calls them. */
export function actingAs<Methods extends object>(name: FunctionName, methods: Methods): Methods {
  const acting = Object.entries(methods).map(([key, method]) => [
    key,
    (...given: unknown[]) => asFunction(name, () => method(...given)),
  ]);
  return Object.fromEntries(acting) as Methods;
}

/** Which function answers under the first segment of a path, behind any prefix. */
const answering = new Map(
  Object.values<Group<never>>(groups).flatMap(({ name, routes }) =>
    Object.values(routes).flatMap(({ operations }) =>
      Object.values(operations).map(({ path }) => [path.split('/')[1], name as FunctionName] as const),
    ),
  ),
);
export function functionFor(path: string): FunctionName {
  const segment = path.split('/').find((one) => answering.has(one));
  return answering.get(segment) ?? 'console';
}

interface Call {
  action: TableRight['actions'][number];
  keys: readonly string[];
  attributes: readonly string[];
}

const OF_KEY = ['pk', 'sk'];
/** Stands for those of a read without a projection: no right to some attributes is enough for it. */
const EVERY_ATTRIBUTE = ['*'];

/** An unhandled rejection fails a run of the tests. */
const failTheRun = (call: string) => void Promise.reject(new Error(call));

/** The same queue, closed to functions that may not enqueue tasks. */
export const judgedQueue = <Task>(queue: TaskQueue<Task>): TaskQueue<Task> => ({
  async send(task, notBefore) {
    const name = running.getStore();
    const rights: Rights | undefined = name && FUNCTIONS[name].rights;
    if (rights !== undefined && rights.tasks !== true) failTheRun(`${name} may not enqueue tasks`);
    await queue.send(task, notBefore);
  },
});

/** @param onDenied is given what was denied, also where the caller handles the error */
export function judgedTable<Judged extends Table>(
  table: Judged,
  onDenied: (call: string) => void = failTheRun,
): Judged {
  function judge(...calls: Call[]): void {
    const name = running.getStore();
    const denied = name === undefined ? undefined : calls.find((call) => !isAllowed(name, call));
    if (denied === undefined) return;
    const text = `${name} may not ${denied.action} ${denied.keys} with ${denied.attributes}`;
    onDenied(text);
    throw new Error(text);
  }
  return {
    ...table,
    get(key, options) {
      const named = namesIn(projectionInput(options?.attributes));
      judge({ action: 'GetItem', keys: [key.pk], attributes: named.length === 0 ? EVERY_ATTRIBUTE : named });
      return table.get(key, options);
    },
    getAll(keys, options) {
      if (keys.length > 0) judge({ action: 'BatchGetItem', keys: keys.map(({ pk }) => pk), attributes: OF_KEY });
      return table.getAll(keys, options);
    },
    query(pk, ...how) {
      judge({ action: 'Query', keys: [pk], attributes: [] });
      return table.query(pk, ...how);
    },
    put(put, condition) {
      judge(callOf({ put, condition }));
      return table.put(put, condition);
    },
    update(update, by, condition) {
      judge(callOf({ update, by, condition }));
      return table.update(update, by, condition);
    },
    remove(remove, condition) {
      judge(callOf({ remove, condition }));
      return table.remove(remove, condition);
    },
    transact(writes) {
      judge(...callsOfTransaction(writes));
      return table.transact(writes);
    },
    bulk(writes) {
      const judged = function* () {
        for (const write of writes) {
          judge(callOf(write));
          yield write;
        }
      };
      return table.bulk(judged());
    },
    ping() {
      judge({ action: 'GetItem', keys: [rows.probe().pk], attributes: EVERY_ATTRIBUTE });
      return table.ping();
    },
  };
}

const namesIn = ({ ExpressionAttributeNames = {} }: ReturnType<typeof conditionInput>) =>
  Object.values(ExpressionAttributeNames);

function callOf(write: ConditionalWrite): Call {
  const of = (action: Call['action'], { pk }: Key, input: ReturnType<typeof conditionInput>, own = OF_KEY) => ({
    ...{ action, keys: [pk], attributes: [...own, ...namesIn(input)] },
  });
  if ('update' in write) return of('UpdateItem', write.update, updateInput(write.by, write.condition));
  const input = conditionInput(write.condition);
  if ('put' in write) return of('PutItem', write.put, input, Object.keys(write.put));
  return 'remove' in write ? of('DeleteItem', write.remove, input) : of('ConditionCheckItem', write.check, input);
}

/** Whether IAM judges the keys of each call of a transaction or of all together is not documented: both are allowed. */
export function callsOfTransaction(writes: readonly ConditionalWrite[]): Call[] {
  const each = writes.map(callOf);
  const together = [...new Set(each.map(({ action }) => action))].map((action) => {
    const calls = each.filter((call) => call.action === action);
    return { action, keys: calls.flatMap(({ keys }) => keys), attributes: calls.flatMap((call) => call.attributes) };
  });
  return [...each, ...together];
}

/** As IAM decides by the statements that `cdk/privileges.ts` makes of the rights: one of them has to allow all of the call. */
function isAllowed(name: FunctionName, { action, keys, attributes }: Call): boolean {
  const rights: readonly TableRight[] = FUNCTIONS[name].rights.table;
  return (rights.length === 0 ? [] : [FORMAT_RIGHT, ...rights]).some(
    (right) =>
      right.actions.includes(action) &&
      keys.every((key) => right.keys.some((pattern) => matches(pattern, key))) &&
      (right.attributes === undefined ||
        (attributes.length > 0 && attributes.every((one) => [...OF_KEY, ...(right.attributes ?? [])].includes(one)))),
  );
}

const matches = (pattern: string, key: string) =>
  pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern;
