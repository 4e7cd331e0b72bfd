import "./site.js";
import "../result/charts.js";
