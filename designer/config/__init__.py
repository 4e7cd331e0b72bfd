"""The wiring of the app. Loading the Celery app here lets `shared_task` and `celery -A designer.config` find it."""

from designer.config.celery import app as celery_app

__all__ = ["celery_app"]
