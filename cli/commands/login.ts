/** `lanreach login`, `lanreach logout`, `lanreach profile …` */
import type { Command } from 'commander';
import { type AccessOptions, checkedToken, chosenName, configPath, tokenFromOptions, urlOf } from '../client/config.ts';
import { Failure } from '../client/failure.ts';
import { isProfileName, profileNamed, readProfiles, writeProfiles } from '../client/profiles.ts';
import { askForSecret } from '../client/secret.ts';
import { openOutput } from '../client/session.ts';
import { table } from '../client/text.ts';
import { checkToken } from '../client/token-check.ts';
import { type World, worldOf } from '../client/world.ts';

const DEFAULT_PROFILE = 'default';

export function addLoginCommand(own: Command): void {
  own
    .addHelpText('after', '\nThe token is asked for on a terminal, or read by --token-file or --token-stdin.')
    .action(async (_options: object, command: Command) => {
      const options = command.optsWithGlobals<AccessOptions>();
      const world = worldOf(command);
      const name = profileName(chosenName(options, world.env) ?? DEFAULT_PROFILE);
      const path = configPath(world.env);
      const kept = readProfiles(path);
      const known = Object.hasOwn(kept.profiles, name) ? kept.profiles[name] : undefined;
      const url = urlOf(options, known ?? null, world.env);
      const token = checkedToken(tokenFromOptions(options) ?? (await askForToken(world, url)));
      await checkToken({ url, token }); // One that is refused is not kept.
      writeProfiles(path, { current: name, profiles: { ...kept.profiles, [name]: { url, token } } });
      openOutput(command).note(`The profile "${name}" is kept in ${path}, and used from now on: ${url}`);
    });
}

export function addLogoutCommand(own: Command): void {
  own.action((_options: object, command: Command) => {
    const path = configPath(worldOf(command).env);
    const { current, profiles } = readProfiles(path);
    const name = chosenName(command.optsWithGlobals<AccessOptions>(), worldOf(command).env) ?? current;
    if (name === null) throw new Failure('usage', 'No profile is used. Name one with --profile');
    profileNamed(name, { current, profiles }, path);
    const left = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name));
    writeProfiles(path, { current: current === name ? null : current, profiles: left });
    openOutput(command).note(`The profile "${name}" is forgotten.`);
  });
}

export function addProfileCommands(profile: Command): void {
  profile
    .command('list')
    .description('list the profiles; the one that is used is marked')
    .action(async (_options: object, command: Command) => {
      const { current, profiles } = readProfiles(configPath(worldOf(command).env));
      const entries = Object.entries(profiles).map(([name, { url }]) => ({ name, url, current: name === current }));
      await openOutput(command).show({ profiles: entries }, () =>
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
      const path = configPath(worldOf(command).env);
      const kept = readProfiles(path);
      const { url } = profileNamed(name, kept, path);
      writeProfiles(path, { ...kept, current: name });
      openOutput(command).note(`The profile "${name}" is used from now on: ${url}`);
    });
}

function profileName(text: string): string {
  if (isProfileName(text)) return text;
  throw new Failure('usage', '--profile: expected 1 to 32 letters, digits, ".", "_" or "-"');
}

async function askForToken(world: World, url: string): Promise<string> {
  if (!world.stdin.isTTY) throw new Failure('usage', 'Without a terminal: use --token-file or --token-stdin');
  return askForSecret(world, `Token for ${url}`, 'No token was given');
}
