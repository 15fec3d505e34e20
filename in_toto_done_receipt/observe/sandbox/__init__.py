"""Running a command that a receipt names, confined as far as this machine allows. docs/adr/0004-sandbox.md says why so.

probe.probe             what this machine can confine, by self-tests
executable.check_…      may this file be run at all
scratch.scratch         a private folder, gone at the end
copytree.copy_tree      the examined tree, copied without following a link
run.run, run_in_place   one command, bounded, everything it started dead at the end
"""
