"""Every address of the app."""

from csp.decorators import csp_update
from django.urls import URLPattern, URLResolver, include, path, re_path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from designer.api.base import UnknownView
from designer.config import health

handler400 = "designer.api.errors.bad_request"
handler500 = "designer.api.errors.server_error"

# Swagger UI sets styles inline: that alone is relaxed, and on this page alone.
api_docs = csp_update({"style-src": ["'unsafe-inline'"]})(
    SpectacularSwaggerSplitView.as_view(url_name="schema", template_name="designer/api_docs.html")
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("", include("designer.pages.sign_in")),
    path("api/v1/", include("designer.api.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", api_docs, name="api-docs"),
    re_path(r"^api/(?!schema$|docs$)", UnknownView.as_view()),  # those two are redirected to their slash
    path("", include("designer.pages.urls")),
]
