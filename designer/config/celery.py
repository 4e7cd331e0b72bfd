"""The Celery app of web and worker."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.config.settings")

app = Celery("clusterwright")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
