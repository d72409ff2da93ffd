/** Timeouts that depend on each other, on both sides of the broker. `timing.test.ts` asserts which must be longer. */

/** An agent never starts a request later than this. */
export const START_WITHIN_MS = 10_000;

/** With a greater clock skew an agent rejects commands, because it cannot check their deadlines. */
export const CLOCK_SKEW_MS = 5_000;

/** After this time without an acknowledgement, the caller gets `agent_silent`. */
export const ACK_WITHIN_MS = 1_500;

/** The service then resends a request, as one may be lost in a reconnection. A slow agent recognises it by its id. */
export const RESEND_AFTER_MS = 600;

/** An agent delays the acknowledgement of a short command: its result, which usually follows at once, saves that message. */
export const SHORT_ACK_AFTER_MS = 100;

/** Limit of each step of an agent's connection to the broker. */
export const CONNECT_WITHIN_MS = 5_000;

/** How long an enrolment tries to reach the broker. It holds the lock of the state directory, for which a service's agent waits. */
export const ENROLMENT_CONNECTS_WITHIN_MS = 12_000;

/** How long an agent waits for the lock of the state directory: long enough for one that was killed in a command. */
export const LOCK_WAIT_MS = 15_000;

/** How long after the broker's event for the end of a connection an agent counts as offline. */
export const OFFLINE_AFTER_MS = 5_000;

/** An agent kills the program of a tool this long after SIGTERM. */
export const KILL_AFTER_MS = 2_000;

/** How long to wait until a killed group of processes is gone. Processes that remain are stuck in the kernel. */
export const GONE_WITHIN_MS = 2_000;

/** How long a tool may take to end after a request to stop. */
export const END_WITHIN_MS = 6_000;

/** How long a caller who cancels a command waits for its end. */
export const CANCEL_WITHIN_MS = 8_000;
