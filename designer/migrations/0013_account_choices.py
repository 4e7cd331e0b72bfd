import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """The currency and units that a user reads pages in."""

    dependencies = [
        ("designer", "0012_own_parts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AccountChoices",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("currency", models.CharField(default="USD", max_length=3)),
                (
                    "bandwidth",
                    models.CharField(choices=[("bytes", "GB/s"), ("bits", "Gb/s")], default="bytes", max_length=5),
                ),
                ("length", models.CharField(choices=[("m", "metres"), ("ft", "feet")], default="m", max_length=2)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="choices", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
    ]
