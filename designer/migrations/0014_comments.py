import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """What people say of a design and its figures."""

    dependencies = [
        ("designer", "0013_account_choices"),
    ]

    operations = [
        migrations.CreateModel(
            name="Comment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("figure", models.CharField(blank=True, default="", max_length=80)),
                ("text", models.TextField(max_length=2000)),
                ("by", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("resolved_by", models.CharField(blank=True, default="", max_length=200)),
                ("resolved_at", models.DateTimeField(blank=True, null=True)),
                (
                    "design",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="comments", to="designer.design"
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
            },
        ),
    ]
