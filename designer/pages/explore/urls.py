"""Addresses of searches."""

from django.urls import path

from designer.pages.explore import jobs, sweep, views

urlpatterns = [
    path("explore/", views.explore, name="explore"),
    path("explore/open/", views.explore_open, name="explore-open"),
    path("explore/compare/", views.explore_compare, name="explore-compare"),
    path("explore/sweep/", sweep.explore_sweep, name="explore-sweep"),
    path("explore/sweep/open/", sweep.sweep_open, name="sweep-open"),
    path("explore/jobs/", jobs.job_new, name="search-job-new"),
    path("explore/jobs/<uuid:pk>/", jobs.job_page, name="search-job"),
    path("explore/jobs/<uuid:pk>/state/", jobs.job_state, name="search-job-state"),
    path("explore/jobs/<uuid:pk>/cancel/", jobs.job_cancel, name="search-job-cancel"),
    path("explore/jobs/<uuid:pk>/found.<slug:form>", jobs.job_file, name="search-job-file"),
    path("explore/found.<slug:form>", views.explore_file, name="explore-file"),
]
