"""Every address of the app."""

from importlib.util import find_spec

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path

from designer.config import health
from designer.sign_in import SignInView, sign_in_by_link

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("sign-in/", SignInView.as_view(), name="sign-in"),
    path("sign-in/<str:secret>/", sign_in_by_link, name="sign-in-by-link"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
]
if find_spec("designer.api") and find_spec("designer.api.urls"):
    from csp.decorators import csp_update
    from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

    # Swagger UI sets styles inline: that alone is relaxed, and on this page alone.
    api_docs = csp_update({"style-src": ["'unsafe-inline'"]})(SpectacularSwaggerSplitView.as_view(url_name="schema"))
    urlpatterns += [
        path("api/v1/", include("designer.api.urls")),
        path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
        path("api/docs/", api_docs, name="api-docs"),
    ]
if find_spec("designer.urls"):
    urlpatterns.append(path("", include("designer.urls")))
