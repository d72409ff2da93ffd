/** Puts a test between a table and the database. */
import type { Client } from '../../store/client.ts';
import type { Operation } from '../../store/operations.ts';

export interface DatabaseCall {
  operation: Operation;
  /** As it is sent: with the types of the values of attributes. */
  input: object;
}

/**
 * Every call of the client goes through `around` from now on, which lets it pass, lets another one pass instead,
 * answers it itself, or fails it.
 * @returns ends that
 */
export function aroundCalls(
  client: Client,
  around: (call: DatabaseCall, pass: (input?: object) => Promise<object>) => unknown,
): () => void {
  const made = client.call.bind(client) as (operation: Operation, input: object, ...more: unknown[]) => Promise<object>;
  const call = async (operation: Operation, input: object, ...more: unknown[]) =>
    around({ operation, input }, (other = input) => made(operation, other, ...more));
  client.call = call as unknown as Client['call'];
  return () => {
    client.call = made as unknown as Client['call'];
  };
}
