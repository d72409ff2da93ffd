/** Timeouts that depend on each other, on both sides of the broker. `timing.test.ts` asserts which must be longer. */

/** A request that did not start within this time is never started. */
export const START_WITHIN_MS = 10_000;

/** Clocks may differ by this much before an agent refuses commands, because it cannot check their deadlines. */
export const CLOCK_SKEW_MS = 5_000;

/** An agent that has not acknowledged a request after this time is reported to the caller as silent. */
export const ACK_WITHIN_MS = 1_500;

/**
 * A request that is not acknowledged after this time is sent again, because it may have been lost while the agent
 * changed its connection. If the agent is only slow, it recognises the request by its id.
 */
export const SEND_AGAIN_AFTER_MS = 600;

/**
 * How long an agent keeps the acknowledgement of a short command back: its result, which usually follows within some
 * milliseconds, acknowledges it too, and saves a message.
 */
export const SHORT_ACK_AFTER_MS = 100;

/** Limit of each step of an agent's connection to the broker. */
export const CONNECT_WITHIN_MS = 5_000;

/**
 * How long an enrolment tries to reach the broker. It holds the state directory meanwhile, for which an agent that is
 * started by a service waits.
 */
export const ENROLMENT_CONNECTS_WITHIN_MS = 12_000;

/** How long an agent waits for the state directory before it gives up: also for one that was killed in a command. */
export const LOCK_WAIT_MS = 15_000;

/** How long after the broker's event for the end of a connection an agent is shown as offline. */
export const OFFLINE_AFTER_MS = 5_000;

/** A program of a tool is killed this long after SIGTERM. */
export const KILL_AFTER_MS = 2_000;

/** How long to wait until a killed group of processes is gone. Processes that remain are stuck in the kernel. */
export const GONE_WITHIN_MS = 2_000;

/** How long a tool may take to end after it was told to stop. */
export const END_WITHIN_MS = 6_000;

/** How long a caller who cancels a command waits for its end. */
export const CANCEL_WITHIN_MS = 8_000;
