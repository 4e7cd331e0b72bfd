"""Addresses of the pages."""

from typing import Any

from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView


class FaviconView(RedirectView):
    """Browsers ask for this name where a page names no icon: a JSON answer, a downloaded diagram."""

    def get_redirect_url(self, *args: Any, **kwargs: Any) -> str:
        """The icon under its hashed name, which is known once static files were collected."""
        return static("designer/favicon.svg")


urlpatterns = [
    path("favicon.ico", FaviconView.as_view(), name="favicon"),
    path("", include("designer.pages.design.urls")),
    path("", include("designer.pages.result.urls")),
    path("", include("designer.pages.shell.urls")),
    path("", include("designer.pages.start.urls")),
    path("", include("designer.pages.reading.urls")),
    path("", include("designer.pages.comparisons.urls")),
    path("", include("designer.pages.quotes.urls")),
    path("", include("designer.pages.parts.urls")),
    path("", include("designer.pages.prices.urls")),
    path("", include("designer.pages.calibrations.urls")),
    path("", include("designer.pages.catalog.urls")),
    path("", include("designer.pages.advice.urls")),
    path("", include("designer.pages.explore.urls")),
]
