"""Software of a whole cluster: Slurm, Kubernetes, Ansible."""
