"""What subnet managers and UFM are set to."""
