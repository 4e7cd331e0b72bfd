// What the page of a design has, whoever looks at it.

import "../design/problems.js";
import "../site/tour.js";
import "../site/help.js";
import "../design/computed.js";
import "../design/parts/narrowing.js";
import "../design/parts/search.js";
import "../design/parts/boxes.js";
import "../design/parts/rows.js";
import "../design/sizes.js";
import "../design/fold.js";
import "../site/parts.js";
import "../result/charts.js";
import "../result/exports.js";
import "../result/fabric.js";
import "../result/picture.js";
import "../result/commenting.js";
import "../result/sort.js";
import "../design/sliders.js";
import "../design/layout.js";
import "../design/panels.js";
import "../design/baselines.js";
import "../design/transfer.js";
