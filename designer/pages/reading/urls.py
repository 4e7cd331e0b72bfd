"""Addresses of what explains: help, glossary, documents, validation."""

from django.urls import path

from designer.pages.reading import validation, views, workload_validation

urlpatterns = [
    path("validation/", validation.validation, name="validation"),
    path("validation/workloads/", workload_validation.workload_validation, name="validation-workloads"),
    path("help/", views.help_page, name="help"),
    path("help/<str:key>/", views.help_card, name="help-card"),
    path("glossary/", views.glossary, name="glossary"),
    path("docs/<slug:name>/", views.document, name="document"),
]
