from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("designer", "0004_studio")]

    operations = [
        migrations.AddField(model_name="signinlink", name="used_at", field=models.DateTimeField(blank=True, null=True)),
    ]
