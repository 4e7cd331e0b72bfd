// What every page has: the script of a page begins with it. The scheme (theme.js) is apart, since a page waits for it.

import "../site/answers.js";
import "../site/nav.js";
import "../shell/keys.js";
