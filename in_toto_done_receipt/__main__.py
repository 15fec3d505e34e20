"""`python -I -m in_toto_done_receipt`. Always with -I: without it the current directory is on the import path."""

from in_toto_done_receipt.cli.main import main

if __name__ == "__main__":
    main()
