import "./site.js";
import "../site/upload.js";
