"""What nccl-tests and rccl-tests print, read as people paste it."""
