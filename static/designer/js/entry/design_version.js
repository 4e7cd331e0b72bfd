// A version of a design, which nobody changes.

import "./site.js";
import "./design_parts.js";
