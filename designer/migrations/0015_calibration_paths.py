from django.db import migrations, models


class Migration(migrations.Migration):
    """What tools that measure one path gave of a calibration."""

    dependencies = [
        ("designer", "0014_comments"),
    ]

    operations = [
        migrations.AddField(
            model_name="calibration",
            name="paths",
            field=models.JSONField(default=list),
        ),
    ]
