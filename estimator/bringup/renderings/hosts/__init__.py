"""Hosts: kernel and PCIe, NICs, NCCL and UCX."""
