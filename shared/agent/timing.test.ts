import { expect, test } from 'vitest';
import {
  ACK_WITHIN_MS,
  CANCEL_WITHIN_MS,
  CLOCK_SKEW_MS,
  CONNECT_WITHIN_MS,
  END_WITHIN_MS,
  ENROLMENT_CONNECTS_WITHIN_MS,
  GONE_WITHIN_MS,
  KILL_AFTER_MS,
  LOCK_WAIT_MS,
  OFFLINE_AFTER_MS,
  RESEND_AFTER_MS,
  SHORT_ACK_AFTER_MS,
  START_WITHIN_MS,
} from './timing.ts';

test('a request is sent again while there is time to acknowledge it, and may start a little later', () => {
  expect(RESEND_AFTER_MS).toBeLessThan(ACK_WITHIN_MS / 2);
  expect(ACK_WITHIN_MS).toBeLessThan(START_WITHIN_MS);
});

test('an acknowledgement that is kept back arrives long before the request would be sent again', () => {
  expect(SHORT_ACK_AFTER_MS).toBeLessThan(RESEND_AFTER_MS / 4);
});

test('clocks that differ as much as they may leave time to start a command', () => {
  expect(CLOCK_SKEW_MS).toBeLessThanOrEqual(START_WITHIN_MS / 2);
});

test('an agent that changes its connection is not shown as offline before a step of the next one has failed', () => {
  expect(OFFLINE_AFTER_MS).toBeGreaterThanOrEqual(CONNECT_WITHIN_MS);
});

test('a caller that cancels a command waits until its processes have been killed, and for the message about it', () => {
  expect(KILL_AFTER_MS + GONE_WITHIN_MS).toBeLessThan(END_WITHIN_MS);
  expect(END_WITHIN_MS + ACK_WITHIN_MS).toBeLessThan(CANCEL_WITHIN_MS);
});

test('an agent that is started during an enrolment waits for its end, and then has the state directory', () => {
  expect(ENROLMENT_CONNECTS_WITHIN_MS).toBeLessThan(LOCK_WAIT_MS);
});
