// What the server has of a design by now, for a page that others may have overtaken.

import { form } from "./fields.js";
import { headers } from "./requests.js";

export const LOOK_MS = 1500; // between looks at a design that others may edit

const bar = () => document.getElementById("studio-bar");
const estimatedHash = () => document.getElementById("estimated-hash")?.value ?? "";

// The answer with the state, where it is another than ``seen``; null where the server does not answer.
export function stateSince(seen = "") {
  const query = new URLSearchParams({ estimated_hash: estimatedHash(), at: seen, shown: bar().dataset.spec });
  return fetch(`${form().action}state/?${query}`, { headers: headers() }).catch(() => null);
}
