"""``{% in_words_of job.spec %}…{% end_in_words %}``: what stands between says trays where a design's servers are trays."""

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.utils.safestring import SafeString, mark_safe

from designer.wording.trays import said_in_markup, word_of

register = template.Library()


class _InWords(template.Node):
    def __init__(self, spec: FilterExpression, nodelist: NodeList) -> None:
        self.spec, self.nodelist = spec, nodelist

    def render(self, context: template.Context) -> SafeString:
        """What stands between, said in the word for the design's servers."""
        inside = self.nodelist.render(context)
        spec = self.spec.resolve(context, ignore_failures=True)
        return mark_safe(said_in_markup(inside, word_of(spec)))  # noqa: S308 - words of escaped markup, no markup of its own


@register.tag("in_words_of")
def in_words_of(parser: Parser, token: Token) -> _InWords:
    """The block tag."""
    _, spec = token.split_contents()
    inside = parser.parse(("end_in_words",))
    parser.delete_first_token()
    return _InWords(parser.compile_filter(spec), inside)
