/** The option of commands that show the newest entries of a list. */
import { InvalidArgumentError, Option } from 'commander';

export function limitOption(): Option {
  return new Option('--limit <number>', 'how many at most, up to 500').argParser(count).default(20);
}

function count(text: string): number {
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number >= 1 && number <= 500) return number;
  throw new InvalidArgumentError('Expected a number from 1 to 500.');
}
