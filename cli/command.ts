/** A command as this program has them: it gets its parts when they are needed, and its action gets a session. */
import { Command as Base, type CommandOptions, Option } from 'commander';
import type { Session } from './client/session.ts';
import { countUpTo, listFrom, watchSeconds } from './option-values.ts';

const MOST_LISTED = 500;

export class Command extends Base {
  declare readonly commands: readonly Command[];
  declare parent: Command | null;
  /** Adds arguments, options, commands that are part of it, and the action; null once it has done so. */
  fill: (() => Promise<void>) | null = null;

  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** Gives it all that it has, unless it is there. */
  async complete(): Promise<void> {
    const { fill } = this;
    this.fill = null;
    await fill?.();
  }

  /** Adds a command that is part of this one. */
  part(name: string, description: string, options?: CommandOptions): Command {
    return this.command(name, options).description(description);
  }

  withSite(description = "the site; default: the token's default site"): this {
    return this.option('--site <site>', description);
  }

  withAgent(): this {
    const what = 'the agent of the site that runs it; default: one in the network of the target';
    return this.option('--agent <agent-name>', what);
  }

  /** For a command that shows many sites. */
  withOnlySites(): this {
    return this.option('--sites <sites>', 'only these, by ids and tags, such as home,tag:customers');
  }

  /** For a command that makes something at all sites with a tag. */
  withTags(): this {
    const what = 'all sites with these tags, such as tag:customers,tag:offices, now and later: it makes a template';
    return this.option('--sites <tags>', what, listFrom);
  }

  /** For a command that shows the newest entries of a list. */
  withLimit(): this {
    const limit = new Option('--limit <number>', `how many at most, up to ${MOST_LISTED}`);
    return this.addOption(limit.argParser(countUpTo(MOST_LISTED)).default(20));
  }

  /**
   * A command that cannot be undone asks for confirmation on a terminal, and without one needs this option. Commands whose work
   * can be undone take it too, so that scripts may give it to all, but never ask.
   */
  withYes(): this {
    return this.option('--yes', 'do not ask for confirmation');
  }

  /** For a command that shows how something stands: to show it again and again. */
  withWatch(): this {
    return this.option('--watch [seconds]', 'show it again every 5 s, until Ctrl-C', watchSeconds);
  }

  /** Its action, which gets the arguments and the options after the session. */
  run<Args extends unknown[]>(action: (session: Session, ...args: Args) => Promise<unknown>): this {
    return this.action(async (...args: unknown[]) => {
      const { inSession } = await import('./client/session.ts');
      await inSession(this, (session) => action(session, ...(args as Args)));
    });
  }
}
