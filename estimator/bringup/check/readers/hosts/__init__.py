"""What hosts print of NICs, PCIe and kernel."""
