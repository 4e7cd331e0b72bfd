"""Addresses of the pages to start from and of those that explain."""

from django.urls import path

from designer import gallery_views

urlpatterns = [
    path("start/", gallery_views.start, name="start"),
    path("start/workloads/<slug:key>/", gallery_views.workload, name="workload"),
    path("published/", gallery_views.published, name="published"),
    path("import/", gallery_views.design_import, name="design-import"),
    path("tour/skip/", gallery_views.tour_skip, name="tour-skip"),
]
