"""The harness's audit log: JSON lines that are chained by hashes. Read, judged record by record, and written."""
