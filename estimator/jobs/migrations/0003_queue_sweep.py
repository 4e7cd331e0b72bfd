from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("estimator", "0002_draft")]

    operations = [
        migrations.CreateModel(
            name="QueueSweep",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("taken_at", models.DateTimeField()),
                ("swept_at", models.DateTimeField()),
            ],
        ),
    ]
