// Gates of a design, and results judged against them.

import "./site.js";
import "../result/sort.js";
