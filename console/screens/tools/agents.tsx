/** The choice of an agent for a command, and a warning if none can run it. */
import texts from 'messages:tools';
import { useAnswer } from '../../api/queries.ts';
import { SelectField } from '../../ui/field.tsx';
import { Options } from '../../ui/options.tsx';
import { Status } from '../../ui/status.tsx';
import { agentName } from '../agents/agent-name.ts';

function useAgents(site: string) {
  return useAnswer('GET /sites/{site}/agents', { params: { site } }).data?.agents;
}

/** @param programs that the tool needs on the host */
export function AgentWarning({ site, programs }: { site: string; programs: readonly string[] }) {
  const agents = useAgents(site);
  if (agents === undefined) return null;
  const connected = agents.filter(({ state }) => state === 'online');
  const missing = programs.find((program) => connected.every(({ programs: has }) => has[program] === null));
  const text =
    connected.length === 0 ? texts.noAgent : missing === undefined ? null : texts.missing({ program: missing });
  if (text === null) return null;
  return (
    <p role="status">
      <Status tone="warn">{text}</Status>
    </p>
  );
}

/**
 * Hidden if there is one agent alone.
 * @param value the name of an agent; empty for the API's choice
 * @param hasTarget the API chooses by the network of the target
 */
export function AgentField({
  site,
  value,
  hasTarget,
  onChange,
}: {
  site: string;
  value: string;
  hasTarget: boolean;
  onChange: (agent: string) => void;
}) {
  const names = (useAgents(site) ?? [])
    .filter(({ state }) => state !== 'enrolling')
    .map(({ id, state }) => ({ name: agentName(id), isOnline: state === 'online' }));
  if (names.length < 2 && value === '') return null;
  return (
    <SelectField
      label={texts.agent}
      hint={hasTarget ? texts.agentHint : undefined}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{texts.automatic}</option>
      {value === '' || names.some(({ name }) => name === value) ? null : <option value={value}>{value}</option>}
      <Options of={names.map(({ name, isOnline }) => [name, isOnline ? name : texts.agentOffline({ name })])} />
    </SelectField>
  );
}
