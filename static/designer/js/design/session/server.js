// Whether the server answers: owns the count of requests in a row that got none, what the last of them got instead, and whether
// the visitor is signed out.

import { NO_ANSWER } from "./note.js";

const RETRY_MS = [500, 1000, 2000, 4000, 8000];

let failures = 0;
let status = 0; // of a failed request that got an answer
let signedOut = false;

export const isAway = () => failures > 0 || signedOut;

export const whatFailed = () => (status ? `The server failed to answer (${status}).` : NO_ANSWER);

export const isOut = () => signedOut;

export function out() {
  signedOut = true;
}

// One more request without an answer, or with the ``answerStatus`` of a fault; milliseconds until it is worth another try.
export function failed(answerStatus = 0) {
  failures += 1;
  status = answerStatus;
  return RETRY_MS[Math.min(failures, RETRY_MS.length) - 1];
}

export function answered() {
  failures = 0;
  signedOut = false;
}
