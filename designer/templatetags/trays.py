"""``{% in_words_of spec.compute.server %}…{% end_in_words %}``: what stands between says trays where a design's servers are."""

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.utils.safestring import SafeString, mark_safe

from designer.wording.trays import said_in_markup, word_of

register = template.Library()


class _InWords(template.Node):
    def __init__(self, server: FilterExpression, nodelist: NodeList) -> None:
        self.server, self.nodelist = server, nodelist

    def render(self, context: template.Context) -> SafeString:
        """What stands between, said in the word for the design's servers."""
        inside = self.nodelist.render(context)
        server = self.server.resolve(context, ignore_failures=True)
        return mark_safe(said_in_markup(inside, word_of(server)))  # noqa: S308 - words of escaped markup, no markup of its own


@register.tag("in_words_of")
def in_words_of(parser: Parser, token: Token) -> _InWords:
    """The block tag."""
    _, server = token.split_contents()
    inside = parser.parse(("end_in_words",))
    parser.delete_first_token()
    return _InWords(parser.compile_filter(server), inside)
