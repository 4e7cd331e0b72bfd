"""What files that a page offers are called."""

from django import template

from designer.exports.file_names import comparison_file_stem, design_file_stem
from designer.wording.context import Context

register = template.Library()


@register.simple_tag(takes_context=True)
def file_stem(context: Context, what: str) -> str:
    """The name, without its ending, of a file that shows ``what`` of the estimate or the comparison of this page."""
    job, comparison = context.get("job"), context.get("comparison")
    if job:
        return design_file_stem(job.name, job.spec_hash, what)
    return comparison_file_stem(comparison.name, what) if comparison else what
