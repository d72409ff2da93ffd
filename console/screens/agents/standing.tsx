/** The state of an agent, and while it is not online: why, and what to run on its host. */
import texts from 'messages:agent';
import agentTexts from 'messages:agents';
import type { Agent, ListedAgent } from '../../../shared/api/records.ts';
import { LinkButton } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { Card } from '../../ui/page.tsx';
import { StatusShape } from '../../ui/status.tsx';
import { Moment, useNow } from '../../ui/time.tsx';
import { TONES } from './agent-state.tsx';
import { lastedText } from './lasted-text.ts';

interface Props {
  agent: ListedAgent & { clockOffSeconds: number | null };
  /** The address to enrol it again; null if the token may not. */
  enrolAt: string | null;
}

/** The cloud measures it to two minutes only. */
const CLOCK_OFF_SECONDS = 150;

export function Standing({ agent, enrolAt }: Props) {
  const { state, since, offlineReason, problem, discovery } = agent;
  const cure = cureOf(agent);
  return (
    <Card>
      <div className="flex gap-3 items-baseline [&_p]:mt-1 [&>svg]:flex-none">
        <StatusShape tone={TONES[state]} />
        <div>
          <strong className="text-lg font-semibold">
            {texts[state]}
            {since === null ? null : (
              <>
                {' '}
                {agentTexts.since} <Moment at={since} /> <Lasted since={since} />
              </>
            )}
          </strong>
          {offlineReason === null ? null : <p>{texts.why[offlineReason]}</p>}
          {state === 'enrolling' ? <p>{texts.whyEnrolling}</p> : null}
          {problem === null ? null : <p data-foreign>{problem}</p>}
          {discovery?.problem === undefined ? null : <p data-foreign>{discovery.problem}</p>}
          <Clock seconds={agent.clockOffSeconds} />
        </div>
      </div>
      {cure === null || cure.commands.length === 0 ? null : (
        <div className="grid gap-2 min-w-0 [&_figure_code]:basis-0">
          <h2>{texts.check}</h2>
          {cure.commands.map((command, at) => (
            <CopyLine key={command} label={texts.command({ number: at + 1 })} text={command} />
          ))}
        </div>
      )}
      {cure?.isToBeEnrolled && enrolAt !== null ? (
        <div>
          <LinkButton to={enrolAt} look="primary">
            {texts.enrolAgain}
          </LinkButton>
        </div>
      ) : null}
    </Card>
  );
}

function Lasted({ since }: { since: string }) {
  const ms = useNow() - Date.parse(since);
  return ms < 60_000 ? null : (
    <span className="text-muted font-normal">{texts.lasted({ duration: lastedText(ms) })}</span>
  );
}

function Clock({ seconds }: { seconds: number | null }) {
  if (seconds === null || Math.abs(seconds) < CLOCK_OFF_SECONDS) return null;
  const off = lastedText(Math.abs(seconds) * 1000);
  return (
    <p className="text-warn">
      {seconds > 0 ? texts.clockAhead({ duration: off }) : texts.clockBehind({ duration: off })}
    </p>
  );
}

const STATUS = 'systemctl status lanreach-agent';
const LOG = 'journalctl -u lanreach-agent -n 50';
const DOCTOR = 'sudo lanreach-agent doctor';
const START = 'sudo systemctl start lanreach-agent';
const ENROL_AGAIN = ['certificate_ended', 'revoked', 'disconnected'];

/** The commands to run on the host of an agent that is not online, or that only enrolling it again helps. */
function cureOf({ state, offlineReason, host }: Pick<Agent, 'state' | 'offlineReason' | 'host'>) {
  if (state !== 'enrolling' && state !== 'offline') return null;
  const isToBeEnrolled = state === 'offline' && ENROL_AGAIN.includes(offlineReason ?? '');
  if (isToBeEnrolled) return { commands: [], isToBeEnrolled };
  if (/darwin/i.test(host?.platform ?? '')) return { commands: ['lanreach-agent doctor'], isToBeEnrolled };
  if (state === 'enrolling') return { commands: [START, LOG, DOCTOR], isToBeEnrolled };
  if (offlineReason === 'stopped') return { commands: [START, STATUS, LOG], isToBeEnrolled };
  return { commands: offlineReason === 'updating' ? [LOG, START, DOCTOR] : [STATUS, LOG, DOCTOR], isToBeEnrolled };
}
