"""The web app for gunicorn and other WSGI servers."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.config.settings")

application = get_wsgi_application()

from designer.config.warming import warm_up  # noqa: E402 - its models need the apps that are loaded now

# Load all views now, once, before gunicorn forks: its processes share them, and no visitor waits for an import. The same of
# what a first answer builds.
get_resolver().url_patterns  # noqa: B018
warm_up()
