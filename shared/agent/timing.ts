/** Times that only make sense together, on both sides of the broker. `timing.test.ts` holds what must be longer than what. */

/** A request that did not start within this time is never started. */
export const START_WITHIN_MS = 10_000;

/** Clocks may differ by this much before an agent refuses to judge deadlines. */
export const CLOCK_SKEW_MS = 5_000;

/** An agent that has not acknowledged a request by then is silent, for the caller of the API. */
export const ACK_WITHIN_MS = 1_500;

/**
 * A request that its agent has not acknowledged by then is sent again. It may have fallen into the moment in which the
 * agent's connection was replaced by the next; where it is only slow, the agent knows the request by its id.
 */
export const SEND_AGAIN_AFTER_MS = 600;

/** How long an agent tries each step of a connection to the broker. */
export const CONNECT_WITHIN_MS = 5_000;

/** From the broker's word that a connection has ended until its agent is shown as offline. */
export const OFFLINE_AFTER_MS = 5_000;

/** How long after TERM a program of a tool is killed. */
export const KILL_AFTER_MS = 2_000;

/** How long a group of processes that was killed is waited for. What is left then is stuck in the kernel. */
export const GONE_WITHIN_MS = 2_000;

/** How long a tool may take to end after it was told to. */
export const END_WITHIN_MS = 6_000;

/** How long a caller who cancels a command waits for its end. */
export const CANCEL_WITHIN_MS = 8_000;
