"""Addresses of own parts under /api/v1/."""

from django.urls import path

from designer.api.resources.own_parts import views

urlpatterns = [
    path("own-parts/", views.OwnPartsView.as_view(), name="own-parts"),
    path("own-parts/<uuid:pk>/", views.OwnPartView.as_view(), name="own-part"),
    path("own-parts/<uuid:pk>/revisions/<int:number>/", views.OwnPartRevisionView.as_view(), name="own-part-revision"),
]
