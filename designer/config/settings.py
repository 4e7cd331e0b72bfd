"""Settings. Each one that differs between installations is read from the environment; the README lists them all."""

from pathlib import Path

from celery.schedules import schedule
from csp.constants import NONE, SELF
from whitenoise.compress import Compressor

from designer.runtime import local_state
from designer.runtime.environment import BadSetting, Environment

BASE_DIR = Path(__file__).resolve().parent.parent.parent
env = Environment()

VAR = env.folder("DESIGNER_VAR", BASE_DIR / "var")
DEBUG = env.flag("DESIGNER_DEBUG")
HTTPS = env.flag("DESIGNER_HTTPS")
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
ALLOWED_HOSTS = env.host_names("DESIGNER_ALLOWED_HOSTS", LOOPBACK_NAMES)
CSRF_TRUSTED_ORIGINS = env.origins("DESIGNER_CSRF_TRUSTED_ORIGINS")

# --- Where things are kept ---------------------------------------------------------------------------------------
DATABASES = {"default": env.database("DESIGNER_DATABASE_URL", VAR / "db.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {"default": env.cache("DESIGNER_CACHE_URL")}

SECRET_KEY = env.text("DESIGNER_SECRET_KEY")
if SECRET_KEY and len(SECRET_KEY) < 32:
    raise BadSetting("DESIGNER_SECRET_KEY", "…", "write at least 32 random characters.")
if not SECRET_KEY:
    if HTTPS or DATABASES["default"]["ENGINE"].endswith("postgresql"):
        raise BadSetting(
            "DESIGNER_SECRET_KEY", "", "on a server, set one key of 50 random characters for all processes."
        )
    SECRET_KEY = local_state.secret_key(VAR)

# --- Django ------------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "estimator.jobs",
    "designer",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "designer.config.middleware.PageGZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "designer.config.middleware.BodyLimitMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "designer.config.middleware.ChosenUnitsMiddleware",
    "designer.config.middleware.BrokenCatalogMiddleware",
]
ROOT_URLCONF = "designer.config.urls"
WSGI_APPLICATION = "designer.config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "designer.services.access.visiting_context",
            ]
        },
    }
]
FORM_RENDERER = "designer.config.form_renderer.FormRenderer"  # the 110 fields of a design page in a third of the time
LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "sign-in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

# --- Static files: one a page, hashed names, gzip beside each (brotli would add 25 s to the first start) ---------
STATIC_URL = "/static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS: list[Path | tuple[str, Path]] = [BASE_DIR / "static"]
if (VAR / "assets" / "vega").is_dir():  # made by `manage.py up` and `manage.py test`
    STATICFILES_DIRS.append(("vega", VAR / "assets" / "vega"))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "designer.config.static_files.LinkedStaticFilesStorage"},
}

# Source maps of libraries are half of what is collected, and only who debugs a library asks for one.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")

# --- Security ----------------------------------------------------------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "connect-src": [SELF],
        "font-src": [SELF],
        "img-src": [SELF, "data:"],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_NAME = "clusterwright_session"
CSRF_COOKIE_NAME = "clusterwright_csrf"
if HTTPS:
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
if env.flag("DESIGNER_TRUST_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

MAX_BODY_BYTES = 2_500_000
MAX_LINK_FILE_BYTES = 64 * 2**20  # of a file of links to compare: a dump of 300,000 links
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY_BYTES
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1_000
DATA_UPLOAD_MAX_NUMBER_FILES = (
    10_000  # above what each page takes at once, for its own message to be the one that is seen
)
ACTIVE_JOBS_PER_USER = env.whole_number("DESIGNER_ACTIVE_JOBS_PER_USER", 20, 1, 10_000)

# --- REST --------------------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "designer.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["designer.api.throttling.UserThrottle", "designer.api.throttling.AnonymousThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": "1200/min", "anon": "30/min", "heavy": "120/min"},
    "NUM_PROXIES": env.whole_number("DESIGNER_NUM_PROXIES", 0, 0, 10),
    "EXCEPTION_HANDLER": "designer.api.errors.exception_handler",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Clusterwright",
    "DESCRIPTION": "Design GPU cluster networks: counts, cabling, bill of materials, power, cost and all-reduce scaling.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "OAS_VERSION": "3.1.0",  # pydantic writes JSON Schema as 3.1 has it
    "POSTPROCESSING_HOOKS": ["designer.api.components.with_written_components"],
}

# --- Jobs --------------------------------------------------------------------------------------------------------
CELERY_BROKER_URL = env.url(
    "DESIGNER_BROKER_URL",
    f"redis+socket://{local_state.broker_socket(VAR)}",
    ("redis", "rediss", "redis+socket", "amqp", "amqps"),
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_SOFT_TIME_LIMIT = 540
CELERY_TASK_TIME_LIMIT = 600
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_DEFAULT_QUEUE = env.name("DESIGNER_QUEUE", "clusterwright")
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TIMEZONE = TIME_ZONE
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"confirm_publish": True}
    if CELERY_BROKER_URL.startswith("amqp")
    else {
        "visibility_timeout": 900,  # longer than the hard time limit of a task
        "socket_connect_timeout": 2,
        "socket_timeout": 3,  # a broker that hangs is as good as away; longer than a worker's poll of 1 s
    }
)
SWEEP_PERIOD_S = 3
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "estimator.jobs.tasks.sweep",
        "schedule": schedule(SWEEP_PERIOD_S),
        "options": {"expires": SWEEP_PERIOD_S, "ignore_result": True},
    }
}

# --- Logs: everything on standard error, where whoever runs the process collects it ------------------------------
LOG_LEVEL = env.choice("DESIGNER_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
# The sweep runs every few seconds: these would write four lines each time.
CHATTY_LOGGERS = ("celery.beat", "celery.worker.strategy", "celery.app.trace")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "filters": {
        "secrets": {"()": "designer.runtime.log_secrets.HideSecrets"}
    },  # addresses that open something by themselves
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["secrets"]}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "level": LOG_LEVEL, "propagate": True},
        **{name: {"level": "WARNING"} for name in CHATTY_LOGGERS},
    },
}
