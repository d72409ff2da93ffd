/** Whether the internet of a site is measured by itself: nothing of it is before somebody asks for it. */
import texts from 'messages:internet';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Check } from '../../../shared/api/checks.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { showProblem, showToast } from '../../ui/toast.tsx';

type Schedule = AnswerOf<'GET /schedules'>['schedules'][number];

const SIX_HOURS_S = 21_600;

interface Measuring {
  isOn: boolean;
  isBusy: boolean;
  /** With the first "on", the internet is also asked for every minute. */
  turn: (on: boolean) => Promise<void>;
}

export function useMeasuring(site: string, check: Check | null, schedule: Schedule | null): Measuring {
  const [isBusy, setBusy] = useState(false);
  const queries = useQueryClient();

  async function turn(on: boolean): Promise<void> {
    setBusy(true);
    try {
      if (on && check === null) {
        await ask('POST /checks', { site, body: { kind: 'internet', label: texts.checkLabel } });
      }
      if (schedule !== null) {
        await ask('PATCH /schedules/{schedule}', { site, params: { schedule: schedule.id }, body: { enabled: on } });
      } else if (on) {
        const body = { name: texts.scheduleName, tool: 'speedtest' as const, everySeconds: SIX_HOURS_S };
        await ask('POST /schedules', { site, body });
      }
      showToast(on ? texts.measuring : texts.notMeasuring);
    } catch (error) {
      showProblem(error);
    } finally {
      setBusy(false);
      void queries.invalidateQueries();
    }
  }

  return { isOn: schedule?.enabled === true, isBusy, turn };
}
