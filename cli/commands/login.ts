/** `lanreach login`, `lanreach logout`, `lanreach profile …` */
import { hostname } from 'node:os';
import { openLink } from '../client/browser.ts';
import { giveBack, tokenByBrowser } from '../client/browser-login.ts';
import {
  type AccessOptions,
  browserOf,
  checkedToken,
  chosenName,
  configPath,
  tokenFromOptions,
  urlOf,
} from '../client/config.ts';
import { Failure } from '../client/failure.ts';
import { isProfileName, type Profile, profileNamed, readProfiles, writeProfiles } from '../client/profiles.ts';
import { askForSecret } from '../client/secret.ts';
import { type Output, openOutput } from '../client/session.ts';
import { table } from '../client/text.ts';
import { checkToken } from '../client/token-check.ts';
import { type World, worldOf } from '../client/world.ts';
import type { Command } from '../command.ts';

const DEFAULT_PROFILE = 'default';

interface LoginOptions extends AccessOptions {
  withToken?: boolean;
}

const HELP_AFTER = `
Without a token it opens the web console in the browser of this host, where you agree within five minutes. The token that this gives
lives for 30 days, and "lanreach logout" gives it back. On a host without a browser, make a token in the console: --with-token asks
for it; --token-file and --token-stdin read it.`;

export function addLoginCommand(own: Command): void {
  own
    .option('--with-token', 'ask for a token to keep, instead of getting one by the browser')
    .addHelpText('after', HELP_AFTER)
    .action(async (_options: object, command: Command) => {
      const options = command.optsWithGlobals<LoginOptions>();
      const world = worldOf(command);
      const name = profileName(chosenName(options, world.env) ?? DEFAULT_PROFILE);
      const path = configPath(world.env);
      const kept = readProfiles(path);
      const known = Object.hasOwn(kept.profiles, name) ? kept.profiles[name] : undefined;
      const url = urlOf(options, known ?? null, world.env);
      const given = tokenFromOptions(options) ?? (options.withToken ? await askForToken(world, url) : undefined);
      const output = openOutput(command);
      const token = checkedToken(given ?? (await tokenOfPerson(world, url, output)));
      await checkToken({ url, token }); // One that is refused is not kept.
      const profile: Profile = { url, token, ...(given === undefined ? { isOwn: true } : {}) };
      writeProfiles(path, { current: name, profiles: { ...kept.profiles, [name]: profile } });
      if (known?.isOwn) await giveBack(known.url, known.token); // No other program has it.
      output.note(`The profile "${name}" is kept in ${path}, and used from now on: ${url}`);
    });
}

/** It needs no terminal, because nothing is typed here. */
async function tokenOfPerson({ env }: World, url: string, { note }: Output): Promise<string> {
  return tokenByBrowser(url, `lanreach on ${hostname()}`, (page) => {
    const browser = browserOf(env);
    note(`Agree in a browser on this host: ${page}`);
    if (browser === null)
      note('Where there is none, use a token that the web console makes: lanreach login --with-token');
    // A browser that does not open leaves the line above, which can be copied.
    else openLink(page, browser).catch(() => {});
  });
}

export function addLogoutCommand(own: Command): void {
  own.action(async (_options: object, command: Command) => {
    const path = configPath(worldOf(command).env);
    const { current, profiles } = readProfiles(path);
    const name = chosenName(command.optsWithGlobals<AccessOptions>(), worldOf(command).env) ?? current;
    if (name === null) throw new Failure('usage', 'No profile is used. Name one with --profile');
    const { url, token, isOwn } = profileNamed(name, { current, profiles }, path);
    const left = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name));
    writeProfiles(path, { current: current === name ? null : current, profiles: left });
    const { note } = openOutput(command);
    note(`The profile "${name}" is forgotten.`);
    if (!isOwn) return;
    if (await giveBack(url, token)) return note('Its token is revoked.');
    note(`Its token could not be revoked, because ${url} does not answer; it ends within 30 days.`);
  });
}

export function addProfileCommands(profile: Command): void {
  profile
    .part('list', 'list the profiles; the default is marked')
    .action(async (_options: object, command: Command) => {
      const { current, profiles } = readProfiles(configPath(worldOf(command).env));
      const entries = Object.entries(profiles).map(([name, { url }]) => ({ name, url, current: name === current }));
      const rows = entries.map((entry) => [entry.name, entry.url, entry.current ? '*' : '']);
      await openOutput(command).show({ profiles: entries }, () => table(['NAME', 'URL', 'USED'], rows));
    });
  profile
    .part('use', 'make a profile the default')
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
