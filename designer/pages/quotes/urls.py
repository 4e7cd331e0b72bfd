"""Addresses of quotes."""

from django.urls import path

from designer.pages.quotes import views

urlpatterns = [
    path("quotes/", views.quotes, name="quotes"),
    path("quotes/new/", views.quote_new, name="quote-new"),
    path("quotes/<uuid:pk>/", views.quote, name="quote"),
    path("quotes/<uuid:pk>/columns/", views.quote_columns, name="quote-columns"),
    path("quotes/<uuid:pk>/discount/", views.quote_discount, name="quote-discount"),
    path("quotes/<uuid:pk>/match/", views.quote_match, name="quote-match"),
    path("quotes/<uuid:pk>/refresh/", views.quote_refresh, name="quote-refresh"),
    path("quotes/<uuid:pk>/prices/", views.quote_prices, name="quote-prices"),
    path("quotes/<uuid:pk>/compare/", views.quote_compare, name="quote-compare"),
    path("quotes/<uuid:pk>/export/", views.quote_export, name="quote-export"),
    path("quotes/<uuid:pk>/delete/", views.quote_delete, name="quote-delete"),
]
