import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """What was ticked of a design's checklist, by whom and when."""

    dependencies = [("designer", "0009_kept_parts")]

    operations = [
        migrations.CreateModel(
            "ChecklistTick",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("item", models.CharField(max_length=200)),
                ("content", models.CharField(max_length=16)),
                ("is_done", models.BooleanField()),
                ("by", models.CharField(max_length=200)),
                ("at", models.DateTimeField()),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "design",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="ticks", to="designer.design"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("design", "item"), name="one_tick_per_item")],
            },
        ),
    ]
