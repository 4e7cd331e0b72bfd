import "./charts.js";
import "../site/help.js";
import "../result/sort.js";
import "../explore/found.js";
import "../explore/job.js";
import "../explore/points.js";
import "../explore/request.js";
