/** `lanreach login`, `lanreach logout`, `lanreach profile …` */
import type { Command } from 'commander';
import { type AccessOptions, checkedToken, chosenName, configPath, tokenFromOptions, urlOf } from '../client/config.ts';
import { Failure } from '../client/failure.ts';
import { ProfileName, profileNamed, readProfiles, writeProfiles } from '../client/profiles.ts';
import { askForSecret } from '../client/secret.ts';
import { openOutput } from '../client/session.ts';
import { table } from '../client/text.ts';
import { checkToken } from '../client/token-check.ts';

const DEFAULT_PROFILE = 'default';

export function addLoginCommands(program: Command): void {
  program
    .command('login')
    .description('keep the URL and the token of a service as a profile, and use it from now on')
    .addHelpText('after', '\nThe token is asked for on a terminal, or read by --token-file or --token-stdin.')
    .helpGroup('Services:')
    .action(async (_options: object, command: Command) => {
      const options = command.optsWithGlobals<AccessOptions>();
      const name = profileName(chosenName(options) ?? DEFAULT_PROFILE);
      const path = configPath();
      const kept = readProfiles(path);
      const known = Object.hasOwn(kept.profiles, name) ? kept.profiles[name] : undefined;
      const url = urlOf(options, known ?? null);
      const token = checkedToken(tokenFromOptions(options) ?? (await askForToken(url)));
      await checkToken({ url, token }); // One that is refused is not kept.
      writeProfiles(path, { current: name, profiles: { ...kept.profiles, [name]: { url, token } } });
      openOutput(command).note(`The profile "${name}" is kept in ${path}, and used from now on: ${url}`);
    });

  program
    .command('logout')
    .description('forget a profile and its token; the token itself stays valid until it is revoked')
    .helpGroup('Services:')
    .action((_options: object, command: Command) => {
      const path = configPath();
      const { current, profiles } = readProfiles(path);
      const name = chosenName(command.optsWithGlobals<AccessOptions>()) ?? current;
      if (name === null) throw new Failure('usage', 'No profile is used. Name one with --profile');
      profileNamed(name, { current, profiles }, path);
      const left = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name));
      writeProfiles(path, { current: current === name ? null : current, profiles: left });
      openOutput(command).note(`The profile "${name}" is forgotten.`);
    });

  const profile = program.command('profile').description('the services that are kept').helpGroup('Services:');
  profile
    .command('list')
    .description('list the profiles; the one that is used is marked')
    .action((_options: object, command: Command) => {
      const { current, profiles } = readProfiles(configPath());
      const entries = Object.entries(profiles).map(([name, { url }]) => ({ name, url, current: name === current }));
      openOutput(command).show({ profiles: entries }, () =>
        table(
          ['NAME', 'URL', 'USED'],
          entries.map((entry) => [entry.name, entry.url, entry.current ? '*' : '']),
        ),
      );
    });
  profile
    .command('use')
    .description('use a profile from now on')
    .argument('<profile>', 'as "profile list" shows it')
    .action((name: string, _options: object, command: Command) => {
      const path = configPath();
      const kept = readProfiles(path);
      const { url } = profileNamed(name, kept, path);
      writeProfiles(path, { ...kept, current: name });
      openOutput(command).note(`The profile "${name}" is used from now on: ${url}`);
    });
}

function profileName(text: string): string {
  const name = ProfileName.safeParse(text);
  if (name.success) return name.data;
  throw new Failure('usage', `--profile: ${name.error.issues[0]?.message}`);
}

async function askForToken(url: string): Promise<string> {
  if (!process.stdin.isTTY) throw new Failure('usage', 'Without a terminal: use --token-file or --token-stdin');
  return askForSecret(`Token for ${url}`, 'No token was given');
}
