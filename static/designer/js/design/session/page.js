// What the page says of the design that it shows. The server writes all of it, so nothing here is remembered twice.

import { form } from "../fields.js";

export const bar = () => document.getElementById("studio-bar");

// Under which a browser keeps what is not sent: an unsaved design has no identity of its own yet, and goes by its address.
export const key = () => form().dataset.design || form().dataset.edits;

export const estimatedHash = () => document.getElementById("estimated-hash")?.value ?? "";
