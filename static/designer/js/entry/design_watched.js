// A design that somebody may look at while others change it.

import "./site.js";
import "../design/watching.js";
import "./design_parts.js";
