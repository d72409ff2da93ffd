/** The metrics of the process of `npm start`, for `GET /metrics`. In the cloud, CloudWatch counts for all instances. */
import { memoryUsage, uptime } from 'node:process';
import type { Counters } from '../functions/http/counters.ts';
import { type Family, gauge, type Sample } from '../functions/http/text-format.ts';

/** Upper bounds in seconds: from an answer from memory to the longest wait of a request. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 280];
/** From a list of interfaces to the time limit of the longest scan. */
const COMMAND_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 280, 600];

type Labels = Readonly<Record<string, string>>;

export function openCounters(now: () => Date = () => new Date()): Counters {
  const startedAt = now().getTime() / 1000 - uptime();
  const requests = new Counter('lanreach_http_requests_total', 'Requests by operation and status of the answer');
  const requestSeconds = new Histogram(
    'lanreach_http_request_duration_seconds',
    'Time until the head of the answer, by operation',
    REQUEST_SECONDS,
  );
  const commands = new Counter('lanreach_commands_total', 'Commands whose result was stored, by tool and outcome');
  const commandSeconds = new Histogram(
    'lanreach_command_duration_seconds',
    'Time that commands ran on the host of their agent, by tool',
    COMMAND_SECONDS,
  );
  const presence = new Counter(
    'lanreach_device_transitions_total',
    'Devices that have come to this status, as agents report it',
  );
  for (const to of ['online', 'offline', 'down']) presence.add({ to }, 0);
  return {
    request(operation, status, seconds) {
      const named = operation ?? 'none';
      requests.add({ operation: named, status: String(status) });
      requestSeconds.observe({ operation: named }, seconds);
    },
    command(tool, outcome, seconds) {
      commands.add({ tool, outcome });
      if (seconds !== null) commandSeconds.observe({ tool }, seconds);
    },
    presence: (to, devices) => presence.add({ to }, devices),
    families: () => [
      ...[requests, requestSeconds, commands, commandSeconds, presence].map((metric) => metric.family()),
      gauge('process_start_time_seconds', 'When the process was started (Unix, s)', startedAt),
      gauge('process_resident_memory_bytes', 'Resident memory of the process', memoryUsage.rss()),
    ],
  };
}

class Counter {
  readonly #name: string;
  readonly #help: string;
  readonly #counts = new Map<string, { labels: Labels; value: number }>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels, by = 1): void {
    const key = Object.values(labels).join(' ');
    const counted = this.#counts.get(key);
    if (counted === undefined) this.#counts.set(key, { labels, value: by });
    else counted.value += by;
  }

  family(): Family {
    return { name: this.#name, help: this.#help, type: 'counter', samples: [...this.#counts.values()] };
  }
}

class Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, { labels: Labels; upTo: number[]; count: number; sum: number }>();

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  observe(labels: Labels, value: number): void {
    const key = Object.values(labels).join(' ');
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels, upTo: this.#bounds.map(() => 0), count: 0, sum: 0 };
      this.#series.set(key, series);
    }
    for (let i = this.#bounds.length - 1; i >= 0 && value <= this.#bounds[i]!; i--) series.upTo[i]!++;
    series.count++;
    series.sum += value;
  }

  family(): Family {
    const samples = [...this.#series.values()].flatMap(({ labels, upTo, count, sum }): Sample[] => [
      ...upTo.map((value, i) => bucket(labels, String(this.#bounds[i]), value)),
      bucket(labels, '+Inf', count),
      { suffix: '_sum', labels, value: sum },
      { suffix: '_count', labels, value: count },
    ]);
    return { name: this.#name, help: this.#help, type: 'histogram', samples };
  }
}

function bucket(labels: Labels, le: string, value: number): Sample {
  return { suffix: '_bucket', labels: { ...labels, le }, value };
}
