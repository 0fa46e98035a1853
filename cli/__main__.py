"""`python -m cli` is `magpie`."""

from cli.main import main

if __name__ == "__main__":
    main()
