"""What would end a finding: changes of the request, each tried."""
