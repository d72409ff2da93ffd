/** A command on a stand-in agent, which the test lets print and end as it likes. */
import { PROTOCOL_VERSION, type Request, type Result } from '../../shared/agent/messages.ts';
import { ackFor, resultFor, type StandIn } from './enrolled-agent.ts';
import { waitFor } from './wait-for.ts';

export interface StandInCommand {
  request: Request;
  id: string;
  /** Waits until the stream of events has been opened this many times, and tells it what there is so far. */
  isWatched(times: number): Promise<void>;
  print(text: string): Promise<void>;
  progress(phase: string, percent: number | null): Promise<void>;
  /** Ends with what was printed, unless the changes say otherwise. */
  end(changes?: Partial<Result>): Promise<void>;
}

/** Takes the next request and acknowledges it. */
export async function takeCommand(agent: StandIn): Promise<StandInCommand> {
  const request = await agent.request();
  const { id } = request;
  const base = { v: PROTOCOL_VERSION, id } as const;
  let listener = request.replyTo;
  let output = '';
  let seq = 0;
  await agent.say(listener, ackFor(request, 'running'));
  return {
    request,
    id,
    async isWatched(times) {
      const { replyTo } = await waitFor(`watch ${times} of ${id}`, () => watchesOf(agent, id)[times - 1]);
      listener = replyTo;
      await agent.say(listener, ackFor(request, 'running'));
      if (output !== '') await agent.say(listener, { ...base, t: 'output', at: 0, text: output });
    },
    async print(text) {
      await agent.say(listener, { ...base, t: 'output', at: output.length, text });
      output += text;
    },
    progress: (phase, percent) => agent.say(listener, { ...base, t: 'progress', seq: ++seq, phase, percent }),
    end: (changes = {}) => agent.say(listener, resultFor(request, { output, ...changes })),
  };
}

function watchesOf({ controls }: StandIn, id: string) {
  return controls.flatMap((control) => (control.t === 'watch' && control.id === id ? [control] : []));
}
