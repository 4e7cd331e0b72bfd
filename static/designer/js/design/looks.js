// What the server has of a design by now, for a page that others may have overtaken.

import { form } from "./fields.js";
import { headers, isSignedOut } from "./requests.js";

export const LOOK_MS = 1500; // between looks at a design that others may edit

const bar = () => document.getElementById("studio-bar");
const estimatedHash = () => document.getElementById("estimated-hash")?.value ?? "";

// The server's status and the state, where it is another than ``seen``; null where no whole answer comes.
export async function stateSince(seen = "") {
  const query = new URLSearchParams({ estimated_hash: estimatedHash(), at: seen, shown: bar().dataset.spec });
  try {
    const answer = await fetch(`${form().action}state/?${query}`, { headers: headers(), redirect: "manual" });
    const html = answer.status === 200 ? await answer.text() : null;
    return { status: answer.status, ok: answer.ok, isSignedOut: isSignedOut(answer), html };
  } catch {
    return null;
  }
}
