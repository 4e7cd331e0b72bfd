from django.db import migrations, models


class Migration(migrations.Migration):
    """Tags and the archive of designs, and who saved a named version."""

    dependencies = [
        ("designer", "0010_ticks"),
    ]

    operations = [
        migrations.AddField(
            model_name="design",
            name="archived_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="design",
            name="tags",
            field=models.CharField(blank=True, default="", max_length=200),
        ),
        migrations.AddField(
            model_name="designrevision",
            name="by",
            field=models.CharField(blank=True, default="", max_length=200),
        ),
    ]
