"""The command line. Each command reads its options, calls the engine and shows the answer; nothing is decided here."""
