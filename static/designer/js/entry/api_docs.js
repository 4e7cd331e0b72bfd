// The scheme is read before it is followed.

import "../site/theme.js";
import "../site/docs_theme.js";
