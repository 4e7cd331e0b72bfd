"""The web app for gunicorn and other WSGI servers."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.config.settings")

application = get_wsgi_application()

# Load all views now, once, before gunicorn forks: its processes share them, and no visitor waits for an import.
get_resolver().url_patterns  # noqa: B018
