/** Commands about one or all selected devices of the list, a few at a time, and messages about their results. */
import texts from 'messages:devices';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import { startCommand } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';
import { DEVICE_COMMANDS } from '../../commands/device-commands.ts';
import { followJob } from '../../commands/follow-job.ts';
import { hasEnded } from '../../commands/job-progress.ts';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { type Device, titleOf } from './device.ts';

type Task = 'wake' | 'scan';

interface Run {
  task: Task;
  done: number;
  count: number;
}

const MAX_DEVICES = 100;
/** Concurrent commands: an agent runs few, and other people need some of them. */
const AT_ONCE = 3;
const BUSY_PAUSE_MS = 2_000;
const MAX_BUSY = 30;

export type DeviceTools = ReturnType<typeof useTools>;

export function useTools(site: string) {
  const [run, setRun] = useState<Run | null>(null);
  const [, navigate] = useLocation();
  const running = useRef<AbortController>(null);
  // Commands that have started continue; no further one starts.
  useEffect(() => () => running.current?.abort(), []);

  async function start(task: Task, chosen: readonly Device[]): Promise<void> {
    const devices = chosen.filter(DEVICE_COMMANDS[task].fits);
    if (devices.length > MAX_DEVICES) return showToast(texts.runs.tooMany({ most: MAX_DEVICES }));
    if (devices.length < chosen.length) showToast(texts.runs.without({ count: chosen.length - devices.length }));
    const [only] = devices;
    if (only === undefined || run !== null) return;
    const count = devices.length;
    const name = titleOf(only);
    if (count === 1) showToast(task === 'wake' ? texts.runs.waking({ name }) : texts.runs.scanning({ name }));
    const controller = new AbortController();
    running.current = controller;
    const onDone = (done: number) => setRun({ task, done, count });
    onDone(0);
    const { jobs, problem } = await runAll(site, task, devices, controller.signal, onDone);
    setRun(null);
    const done = jobs.filter(({ state }) => state === 'succeeded').length;
    const [job] = jobs;
    if (count > 1) {
      showToast(
        task === 'wake' ? texts.runs.wokenMany({ awake: done, count }) : texts.runs.scannedMany({ done, count }),
      );
    } else if (job !== undefined) {
      const show = { label: texts.runs.show, run: () => navigate(`/sites/${site}/runs/${job.id}`) };
      showToast(resultOf(task, name, job), show);
    }
    if (problem !== null) showProblem(problem);
  }

  return {
    run,
    stop: () => running.current?.abort(),
    start: (task: Task, devices: readonly Device[]) => void start(task, devices),
    /** Opens the run. */
    async trace(device: Device): Promise<void> {
      const { tool, fieldsOf } = DEVICE_COMMANDS.trace;
      try {
        const job = await startCommand(tool, site, fieldsOf(device));
        navigate(`/sites/${site}/runs/${job.id}`);
      } catch (error) {
        showProblem(error);
      }
    },
  };
}

async function runAll(
  site: string,
  task: Task,
  devices: readonly Device[],
  signal: AbortSignal,
  onDone: (done: number) => void,
) {
  /** With the first problem. */
  const outcome = { jobs: [] as Job[], problem: null as unknown };
  const left = [...devices];
  let done = 0;
  async function worker(): Promise<void> {
    for (let device = left.shift(); device !== undefined && !signal.aborted; device = left.shift()) {
      try {
        outcome.jobs.push(await runOne(site, task, device, signal));
      } catch (error) {
        if (signal.aborted) return;
        outcome.problem ??= error;
      }
      onDone(++done);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return outcome;
}

async function runOne(site: string, task: Task, device: Device, signal: AbortSignal): Promise<Job> {
  const { tool, fieldsOf } = DEVICE_COMMANDS[task];
  for (let attempt = 0; ; attempt++) {
    try {
      const job = await startCommand(tool, site, fieldsOf(device));
      return hasEnded(job) ? job : await endOf(job, signal);
    } catch (error) {
      if (problemOf(error).code !== 'agent_busy' || attempt === MAX_BUSY || signal.aborted) throw error;
      await new Promise((resolve) => window.setTimeout(resolve, BUSY_PAUSE_MS));
    }
  }
}

async function endOf(job: Job, signal: AbortSignal): Promise<Job> {
  let last = job;
  await followJob(job.id, () => 0, signal, {
    onEvent({ event, data }) {
      if (event === 'result') last = data;
    },
    onConnection: () => undefined,
  });
  return last;
}

function resultOf(task: Task, name: string, job: Job): string {
  if (task === 'wake' && job.tool === 'wakeonlan') {
    const verified = job.result?.verified;
    if (verified === undefined) return texts.runs.notAwake({ name });
    return verified.already ? texts.runs.alreadyAwake({ name }) : texts.runs.awake({ name });
  }
  if (job.tool !== 'nmap' || job.state !== 'succeeded') return texts.runs.failed({ name });
  const open = (job.result?.hosts ?? []).flatMap(({ ports }) => ports.filter(({ state }) => state === 'open'));
  return texts.runs.scanned({ name, ports: open.length });
}
