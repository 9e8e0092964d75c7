"""The command line: thin. Each command reads its options, calls the engine and shows the answer."""
