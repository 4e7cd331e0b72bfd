import "./site.js";
import "../site/pick.js";
