"""What a web process builds once: done before it answers, so that no visitor waits for it."""

from django.template.loader import get_template

from designer.forms.explore import ExploreForm
from designer.pages.explore.page import found_context
from designer.services.searches.asking import FRONT, first_request, found
from estimator.catalog.loader import load_catalog


def warm_up() -> None:
    """Answer the usual search once: catalog, checks of a request, draws of prices, controls and templates are then there."""
    asked = first_request(None)
    found_context(found(asked, None), FRONT, load_catalog())
    "".join(map(str, ExploreForm(values=asked).front()))
    get_template("designer/explore/explore.html")
