/** Commands about devices of the list: one, or as many as are selected, a few at a time, and what came of them. */
import texts from 'messages:devices';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { Job } from '../../../shared/api/jobs.ts';
import { startCommand } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';
import { followJob } from '../../commands/follow-job.ts';
import { hasEnded } from '../../commands/job-progress.ts';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { type Device, titleOf } from './device.ts';

type Task = 'wake' | 'scan';

/** What is being done at the moment. */
interface Run {
  task: Task;
  done: number;
  count: number;
}

/** Devices of one press of a button. */
const MAX_DEVICES = 100;
/** Commands that are under way at the same time: an agent runs few, and others want their turn. */
const AT_ONCE = 3;
const BUSY_PAUSE_MS = 2_000;
const MAX_BUSY = 30;

export type DeviceTools = ReturnType<typeof useTools>;

export function useTools(site: string) {
  const [run, setRun] = useState<Run | null>(null);
  const [, navigate] = useLocation();
  const running = useRef<AbortController>(null);
  // What has been started goes on; no further one is.
  useEffect(() => () => running.current?.abort(), []);

  async function start(task: Task, asked: readonly Device[]): Promise<void> {
    const devices = asked.filter(FITS[task]);
    if (devices.length > MAX_DEVICES) return showToast(texts.runs.tooMany({ most: MAX_DEVICES }));
    if (devices.length < asked.length) showToast(texts.runs.without({ count: asked.length - devices.length }));
    const [only] = devices;
    if (only === undefined || run !== null) return;
    if (devices.length === 1)
      showToast(
        task === 'wake' ? texts.runs.waking({ name: titleOf(only) }) : texts.runs.scanning({ name: titleOf(only) }),
      );
    const controller = new AbortController();
    running.current = controller;
    setRun({ task, done: 0, count: devices.length });
    const outcome = await runAll(site, task, devices, controller.signal, (done) =>
      setRun({ task, done, count: devices.length }),
    );
    setRun(null);
    if (devices.length === 1) tellOne(task, only, outcome.jobs[0]);
    else
      showToast(
        task === 'wake'
          ? texts.runs.wokenMany({ awake: outcome.succeeded, count: devices.length })
          : texts.runs.scannedMany({ done: outcome.succeeded, count: devices.length }),
      );
    if (outcome.problem !== null) showProblem(outcome.problem);
  }

  function tellOne(task: Task, device: Device, job: Job | undefined): void {
    if (job === undefined) return;
    const show = { label: texts.runs.show, run: () => navigate(`/sites/${site}/runs/${job.id}`) };
    showToast(sayOf(task, titleOf(device), job), show);
  }

  return {
    run,
    stop: () => running.current?.abort(),
    start: (task: Task, devices: readonly Device[]) => void start(task, devices),
    /** Shown where it runs. */
    async trace({ devLastIP }: Device): Promise<void> {
      try {
        const job = await startCommand('traceroute', site, { devLastIP });
        navigate(`/sites/${site}/runs/${job.id}`);
      } catch (error) {
        showProblem(error);
      }
    },
  };
}

export const canWake = ({ devMac }: Device) => /^[0-9A-F]{2}:/.test(devMac);
export const canScan = ({ devLastIP }: Device) => devLastIP !== '';
const FITS: Record<Task, (device: Device) => boolean> = { wake: canWake, scan: canScan };

function commandOf(task: Task, { devMac, devLastIP }: Device): [tool: string, fields: object] {
  return task === 'wake' ? ['wakeonlan', { devMac, verify: true }] : ['nmap', { scan: devLastIP, mode: 'fast' }];
}

interface Outcome {
  jobs: Job[];
  succeeded: number;
  /** The first of those that there were. */
  problem: unknown;
}

async function runAll(
  site: string,
  task: Task,
  devices: readonly Device[],
  signal: AbortSignal,
  onDone: (done: number) => void,
): Promise<Outcome> {
  const outcome: Outcome = { jobs: [], succeeded: 0, problem: null };
  const left = [...devices];
  let done = 0;
  async function worker(): Promise<void> {
    for (let device = left.shift(); device !== undefined && !signal.aborted; device = left.shift()) {
      try {
        const job = await runOne(site, task, device, signal);
        outcome.jobs.push(job);
        if (job.state === 'succeeded') outcome.succeeded++;
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
  const [tool, fields] = commandOf(task, device);
  for (let attempt = 0; ; attempt++) {
    try {
      const job = await startCommand(tool, site, fields);
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

function sayOf(task: Task, name: string, job: Job): string {
  if (task === 'wake' && job.tool === 'wakeonlan') {
    const verified = job.result?.verified;
    if (verified === undefined) return texts.runs.notAwake({ name });
    return verified.already ? texts.runs.alreadyAwake({ name }) : texts.runs.awake({ name });
  }
  if (job.tool !== 'nmap' || job.state !== 'succeeded') return texts.runs.failed({ name });
  const open = (job.result?.hosts ?? []).flatMap(({ ports }) => ports.filter(({ state }) => state === 'open'));
  return texts.runs.scanned({ name, ports: open.length });
}
