"""Addresses of searches."""

from django.urls import path

from designer.pages.explore import sweep, views

urlpatterns = [
    path("explore/", views.explore, name="explore"),
    path("explore/open/", views.explore_open, name="explore-open"),
    path("explore/compare/", views.explore_compare, name="explore-compare"),
    path("explore/sweep/", sweep.explore_sweep, name="explore-sweep"),
    path("explore/sweep/open/", sweep.sweep_open, name="sweep-open"),
    path("explore/found.<slug:form>", views.explore_file, name="explore-file"),
]
