"""Addresses of what is reached from every page: search."""

from django.urls import path

from designer.pages.shell import views

urlpatterns = [
    path("find/", views.find, name="find"),
    path("find/matches/", views.find_matches, name="find-matches"),
]
