"""Addresses of where one starts: samples, published designs, workloads, files."""

from django.urls import path

from designer.pages.start import views, workloads

urlpatterns = [
    path("start/", views.start, name="start"),
    path("start/workloads/<slug:key>/", workloads.workload, name="workload"),
    path("start/workloads/<slug:key>/variant/", workloads.workload_variant, name="workload-variant"),
    path("published/", views.published, name="published"),
    path("import/", views.design_import, name="design-import"),
    path("tour/skip/", views.tour_skip, name="tour-skip"),
]
