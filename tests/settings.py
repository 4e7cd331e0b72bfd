"""The app's settings, as the tests want them: nothing shared with a running installation."""

import os
import uuid

os.environ.setdefault("DESIGNER_SECRET_KEY", "a-key-for-tests-only-0123456789-0123456789-0123456789")

from designer.config.settings import *  # noqa: F403
from designer.config.settings import DATABASES, STORAGES, VAR

STATIC_ROOT = VAR / "tests" / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: only then do threads see SQLite's own locking, as web and worker do.
    DATABASES["default"]["TEST"] = {"NAME": VAR / "tests" / f"{os.getpid()}.sqlite3"}
else:  # several runs share a server, and may have it from different machines
    DATABASES["default"]["TEST"] = {"NAME": f"clusterwright_test_{uuid.uuid4().hex[:12]}"}
    DATABASES["default"]["OPTIONS"]["options"] = "-c synchronous_commit=off"  # no test cuts off the power
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
CELERY_BROKER_URL = "redis+socket:///nonexistent/clusterwright-tests.sock"  # a test that needs a broker starts one
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
