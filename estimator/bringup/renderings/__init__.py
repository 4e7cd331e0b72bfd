"""The plan written for each kind of device, a module a target; docs/bringup.md says how to add one."""
