// A design that may be changed.

import "./site.js";
import "../design/session.js";
import "../design/keys.js";
import "./design_parts.js";
