"""One file per check; the file's name is the check's id, with - for _."""
