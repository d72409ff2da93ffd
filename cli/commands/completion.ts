/** `lanreach completion`, and `lanreach complete`, which the shells call. */

import { oneLine } from '../../shared/text.ts';
import { worldOf } from '../client/world.ts';
import type { Command } from '../command.ts';
import { FILES_STATUS, SCRIPTS } from '../completion/scripts.ts';
import { placeOf, type Word } from '../completion/words.ts';

const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

const HOW_TO = `
To complete commands, options, and the names of sites and devices by the Tab key:
  bash   echo 'source <(lanreach completion bash)' >> ~/.bashrc
  zsh    echo 'source <(lanreach completion zsh)' >> ~/.zshrc        # after compinit
  fish   lanreach completion fish > ~/.config/fish/completions/lanreach.fish
`;

export function addCompletionCommand(completion: Command): void {
  const shell = completion.createArgument('<shell>', 'the shell').choices(SHELLS);
  completion
    .addArgument(shell)
    .addHelpText('after', HOW_TO)
    .action((chosen: keyof typeof SCRIPTS, _options: object, command: Command) => {
      worldOf(command).stdout.write(SCRIPTS[chosen]);
    });
}

/** What the shells call. */
export function addCompleteCommand(own: Command): void {
  own.argument('[words...]').action(async (words: string[], _options: object, command: Command) => {
    const world = worldOf(command);
    const answer = (found: readonly Word[]) => void world.stdout.write(linesOf(found));
    const place = await placeOf(command.parent ?? command, words);
    if (place.kind === 'files') world.exitCode = FILES_STATUS;
    else if (place.kind === 'words') answer(place.words);
    else {
      const { namesOf } = await import('../completion/names.ts');
      // No message while a person types: without an answer there are no suggestions.
      answer(await namesOf(command, place.of, place.options, words.at(-1) ?? '').catch(() => []));
    }
  });
}

function linesOf(words: readonly Word[]): string {
  const lines = words
    .filter(({ word }) => word !== '')
    .map(({ word, about }) => `${[word, about].map(oneLine).join('\t')}\n`);
  return lines.join('');
}
