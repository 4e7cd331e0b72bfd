import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def baselines_of_pins(apps, schema_editor):
    """A pinned design becomes a baseline as that design is now; its figures are made when it is first shown."""
    pin, baseline = apps.get_model("designer", "Pin"), apps.get_model("designer", "Baseline")
    for row in pin.objects.select_related("design").order_by("-position"):
        state = {"given": row.design.given, "spec_hash": row.design.spec_hash, "name": row.design.name}
        baseline.objects.create(owner_id=row.owner_id, design=row.design, **state)


class Migration(migrations.Migration):
    dependencies = [
        ("designer", "0007_kept_answers"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("design", "changed_by", models.CharField(blank=True, default="", max_length=200)),
        migrations.CreateModel(
            "Baseline",
            [
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=200)),
                ("given", models.JSONField()),
                ("spec_hash", models.CharField(max_length=64)),
                ("figures", models.JSONField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "design",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="baselines",
                        to="designer.design",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="baselines",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            {"ordering": ["-created_at"]},
        ),
        migrations.RunPython(baselines_of_pins, migrations.RunPython.noop),
        migrations.DeleteModel("Pin"),
    ]
