/** The form of a tool. Nothing is sent before its values are valid. */
import { Play } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Job } from '../../../shared/api/jobs.ts';
import { startCommand } from '../../api/client.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { AgentField } from './agents.tsx';
import { checkForm, type ToolForm as Form, type FormValues, filledValues } from './form-fields.ts';
import { texts } from './texts.ts';
import { ToolField } from './tool-field.tsx';
import { inLabels, labelIn } from './tool-texts.ts';
import styles from './tools.module.css';

interface Props {
  site: string;
  form: Form;
  /** What is filled in, with `agent` for the agent. The button to run it then has the focus. */
  query: URLSearchParams;
  onStarted: (job: Job) => void;
}

export function ToolForm({ site, form, query, onStarted }: Props) {
  const [values, setValues] = useState(() => filledValues(form, query));
  const [agent, setAgent] = useState(query.get('agent') ?? '');
  const [errors, setErrors] = useState<FormValues>({});
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isStarting, setStarting] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  const runButton = useRef<HTMLButtonElement>(null);
  const isFilled = query.size > 0;
  useEffect(() => {
    if (isFilled) runButton.current?.focus();
  }, [isFilled]);

  function refuse(found: FormValues): void {
    setErrors(Object.fromEntries(Object.entries(found).map(([name, text]) => [name, inLabels(form, text)])));
    const first = form.fields.find(({ name }) => found[name] !== undefined);
    if (first !== undefined) element.current?.querySelector<HTMLElement>(`[name="${first.name}"]`)?.focus();
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isStarting) return;
    const { body, errors: found } = checkForm(form, values);
    setErrors({});
    setProblem(null);
    if (body === null) {
      refuse(found);
      return;
    }
    setStarting(true);
    try {
      onStarted(await startCommand(form.tool.name, site, body, agent === '' ? undefined : agent));
    } catch (error) {
      const refused = problemOf(error);
      setProblem(refused);
      refuse(Object.fromEntries(refused.fields.map(({ path, message }) => [path, message])));
    } finally {
      setStarting(false);
    }
  }

  return (
    <form ref={element} className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <div className={styles.fields}>
        {form.fields.map((field) => (
          <ToolField
            key={field.name}
            field={field}
            label={labelIn(form, field)}
            hint={inLabels(form, field.hint)}
            value={values[field.name] ?? ''}
            error={errors[field.name]}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
        <AgentField site={site} value={agent} onChange={setAgent} />
      </div>
      {problem === null ? null : <ProblemBox error={problem} />}
      <div>
        <Button ref={runButton} type="submit" look="primary" aria-disabled={isStarting}>
          <Play aria-hidden="true" />
          {isStarting ? texts.starting : texts.run}
        </Button>
      </div>
    </form>
  );
}
