import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Parts of one's own with their revisions."""

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL), ("designer", "0011_shelves")]

    operations = [
        migrations.CreateModel(
            "OwnPart",
            [
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=20)),
                ("key", models.CharField(max_length=60)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="own_parts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["kind", "key"],
                "constraints": [models.UniqueConstraint(fields=("owner", "key"), name="one_own_part_per_key")],
            },
        ),
        migrations.CreateModel(
            "OwnPartRevision",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("values", models.JSONField()),
                ("reason", models.CharField(max_length=300)),
                ("by", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "part",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="revisions", to="designer.ownpart"
                    ),
                ),
            ],
            options={
                "ordering": ["part", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("part", "number"), name="one_own_part_revision_per_number")
                ],
            },
        ),
    ]
