"""Rows out of somebody's file, bounded in time and memory; no numbers of ours."""
