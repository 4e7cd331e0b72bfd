from django.db import migrations, models


class Migration(migrations.Migration):
    """Large parts of requests, kept once. Rows of before keep theirs in them until they are written again."""

    dependencies = [("designer", "0008_baseline")]

    operations = [
        migrations.CreateModel(
            "KeptPart",
            [
                ("digest", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("text", models.TextField()),
            ],
        ),
    ]
