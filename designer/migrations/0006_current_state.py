import django.db.models.deletion
from django.db import migrations, models


def states_of_last_revisions(apps, schema_editor):
    """The state of a design of before: its last revision. Where edits came after it, the app reads them when it is next opened."""
    design, revision = apps.get_model("designer", "Design"), apps.get_model("designer", "DesignRevision")
    for row in design.objects.all().iterator():
        last = revision.objects.filter(design=row).order_by("-number").first()
        if last is not None:
            design.objects.filter(pk=row.pk).update(given=last.given, spec=last.spec, spec_hash=last.spec_hash)
    apps.get_model("designer", "DesignEdit").objects.filter(figures__isnull=True).update(is_valid=False)
    for row in revision.objects.only("pk", "number").iterator():
        revision.objects.filter(pk=row.pk).update(name=f"Version {row.number}")


def designs_of_quotes(apps, schema_editor):
    """The design that a quote is held against: the one with a revision that says the same."""
    quote, revision = apps.get_model("designer", "Quote"), apps.get_model("designer", "DesignRevision")
    for row in quote.objects.only("pk", "owner_id", "spec").iterator():
        found = revision.objects.filter(design__owner_id=row.owner_id, spec=row.spec).order_by("-created_at").first()
        if found is not None:
            quote.objects.filter(pk=row.pk).update(design_id=found.design_id)


class Migration(migrations.Migration):
    dependencies = [("designer", "0005_sign_in_link_used_at")]

    operations = [
        migrations.AddField("design", "given", models.JSONField(default=dict)),
        migrations.AddField("design", "spec", models.JSONField(default=dict)),
        migrations.AddField("design", "spec_hash", models.CharField(db_index=True, default="", max_length=64)),
        migrations.AddField("design", "figures", models.JSONField(null=True)),
        migrations.AddField("design", "versions", models.CharField(default="", max_length=120)),
        migrations.AddField("design", "state_number", models.PositiveIntegerField(default=1)),
        migrations.AddField("designrevision", "name", models.CharField(default="", max_length=200)),
        migrations.AddField("designrevision", "note", models.CharField(blank=True, default="", max_length=2000)),
        migrations.AddField("designedit", "is_valid", models.BooleanField(default=True)),
        migrations.AddField("designedit", "given", models.JSONField(null=True)),
        migrations.AddField("designedit", "spec_hash", models.CharField(db_index=True, default="", max_length=64)),
        migrations.AddField("designedit", "by", models.CharField(default="", max_length=200)),
        migrations.CreateModel(
            "EditingPage",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=40)),
                ("last", models.PositiveIntegerField(default=0)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "design",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="editing_pages",
                        to="designer.design",
                    ),
                ),
            ],
            {
                "constraints": [
                    models.UniqueConstraint(fields=("design", "key"), name="one_row_per_editing_page"),
                ]
            },
        ),
        migrations.AddField(
            "quote",
            "design",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="quotes",
                to="designer.design",
            ),
        ),
        migrations.RunPython(states_of_last_revisions, migrations.RunPython.noop),
        migrations.RunPython(designs_of_quotes, migrations.RunPython.noop),
    ]
