/** `lanreach completion`, and `lanreach complete`, which the shells call. */
import type { Command } from 'commander';
import { oneLine } from '../../shared/text.ts';
import { namesOf } from '../completion/names.ts';
import { FILES_STATUS, SCRIPTS } from '../completion/scripts.ts';
import { placeOf, type Word } from '../completion/words.ts';

const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

const HOW_TO = `
To complete commands, options, and the names of sites and devices by the Tab key:
  bash   echo 'source <(lanreach completion bash)' >> ~/.bashrc
  zsh    echo 'source <(lanreach completion zsh)' >> ~/.zshrc        # after compinit
  fish   lanreach completion fish > ~/.config/fish/completions/lanreach.fish
`;

export function addCompletionCommands(program: Command): void {
  const completion = program.command('completion').description('print what a shell needs to complete commands');
  const shell = completion.createArgument('<shell>', 'the shell').choices(SHELLS);
  completion
    .addArgument(shell)
    .addHelpText('after', HOW_TO)
    .action((chosen: keyof typeof SCRIPTS) => void process.stdout.write(SCRIPTS[chosen]));

  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[], _options: object, command: Command) => {
      const place = placeOf(program, words);
      if (place.kind === 'files') process.exitCode = FILES_STATUS;
      else if (place.kind === 'words') answer(place.words);
      else {
        // Whoever presses Tab wants no message: without an answer, there is nothing to choose from.
        answer(await namesOf(command, place.of, place.options, words.at(-1) ?? '').catch(() => []));
      }
    });
}

function answer(words: readonly Word[]): void {
  const lines = words
    .filter(({ word }) => word !== '')
    .map(({ word, about }) => `${[word, about].map(oneLine).join('\t')}\n`);
  process.stdout.write(lines.join(''));
}
