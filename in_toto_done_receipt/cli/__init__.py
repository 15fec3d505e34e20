"""The command line: one file per command, loaded when it is called. `main` is the one place where errors become exit
codes. stdout carries data, stderr everything else.
"""
