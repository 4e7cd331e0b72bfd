// A panel of a design where it is a page of its own.

import "./site.js";
import "../design/transfer.js";
