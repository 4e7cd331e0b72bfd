import "./charts.js";
import "../result/sort.js";
