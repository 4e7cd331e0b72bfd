"""The queue of estimates as a Django app; its tables carry the label "estimator"."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "estimator.jobs"
    label = "estimator"
    verbose_name = "Estimates"
