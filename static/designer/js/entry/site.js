// What every page has: the script of a page begins with it.

import "../site/theme.js";
import "../site/nav.js";
