import "./charts.js";
import "../site/parts.js";
