/** The command of a schedule or a batch, from the tool and the arguments of a request. */
import { readArguments } from '../../shared/tools/arguments.ts';
import { CommandJson, type Tool } from '../../shared/tools/list.ts';
import { validationError } from '../http/errors.ts';

/**
 * Parses the arguments as `POST /nettools/<tool>` does.
 * @throws {ServiceError} `validation_failed`, with each argument that is unknown, missing or invalid
 */
export function commandOf(tool: Tool, given: Readonly<Record<string, unknown>>): CommandJson {
  const { values, faults } = readArguments(tool, given);
  if (faults.length > 0) throw validationError(faults);
  return CommandJson.parse(JSON.parse(JSON.stringify({ tool, ...values })));
}
