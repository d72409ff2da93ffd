/** What is done later: by a worker in the process, or by a function behind a queue of SQS. */
export interface TaskQueue<Task> {
  /**
   * Hands a task over, which is carried out at least once, not before its time.
   * @throws when it could not be handed over
   */
  send(task: Task, notBefore: Date): Promise<void>;
}
