// Whether the server answers: owns the count of requests in a row that got none.

const RETRY_MS = [500, 1000, 2000, 4000, 8000];

let failures = 0;

export const isAway = () => failures > 0;

// One more request without an answer; milliseconds until it is worth another try.
export function failed() {
  failures += 1;
  return RETRY_MS[Math.min(failures, RETRY_MS.length) - 1];
}

export function answered() {
  failures = 0;
}
