"""Addresses of what is reached from every page: search, and the currency and units of pages."""

from django.urls import path

from designer.pages.shell import account, views

urlpatterns = [
    path("account/", account.account, name="account"),
    path("find/", views.find, name="find"),
    path("find/matches/", views.find_matches, name="find-matches"),
]
