/** Begins to measure the internet of a site: nothing of it is measured before somebody asks for it. */

import { useQueryClient } from '@tanstack/react-query';
import { Gauge } from 'lucide-react';
import { useId, useState } from 'react';
import { ask } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import styles from './internet.module.css';
import { texts } from './texts.ts';

const SIX_HOURS_S = 21_600;

interface Props {
  site: string;
  needsCheck: boolean;
  needsSchedule: boolean;
}

export function Measure({ site, needsCheck, needsSchedule }: Props) {
  const [isBusy, setBusy] = useState(false);
  const queries = useQueryClient();
  const hint = useId();
  if (!needsCheck && !needsSchedule) return null;

  async function measure(): Promise<void> {
    setBusy(true);
    try {
      if (needsCheck) await ask('POST /checks', { site, body: { kind: 'internet', label: texts.checkLabel } });
      if (needsSchedule) {
        const body = { name: texts.scheduleName, tool: 'speedtest' as const, everySeconds: SIX_HOURS_S };
        await ask('POST /schedules', { site, body });
      }
      showToast(texts.measuring);
    } catch (error) {
      showProblem(error);
    } finally {
      setBusy(false);
      void queries.invalidateQueries();
    }
  }

  return (
    <div className={styles.measure}>
      <Button look="primary" onClick={() => void measure()} disabled={isBusy} aria-describedby={hint}>
        <Gauge aria-hidden="true" />
        {texts.measure}
      </Button>
      <span id={hint} className="muted">
        {texts.measureWhat(needsCheck, needsSchedule)}
      </span>
    </div>
  );
}
