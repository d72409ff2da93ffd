/** Deferred tasks: a worker in the process runs them, or a function behind an SQS queue. */
export interface TaskQueue<Task> {
  /** Enqueues a task, which runs at least once, not before its time. Rejects when it could not be enqueued. */
  send(task: Task, notBefore: Date): Promise<void>;
}
