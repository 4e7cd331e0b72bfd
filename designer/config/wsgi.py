"""The web app for gunicorn and other WSGI servers."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.config.settings")

collects = gc.isenabled()
gc.disable()  # what is loaded now stays: to look through it again and again would be a quarter of the start
application = get_wsgi_application()

from designer.config.warming import warm_up  # noqa: E402 - its models need the apps that are loaded now

# Load all views now, once, before gunicorn forks: its processes share them, and no visitor waits for an import. The same of
# what a first answer builds.
get_resolver().url_patterns  # noqa: B018
warm_up()
gc.freeze()
if collects:
    gc.enable()
