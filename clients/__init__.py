"""Real assistants against a scripted provider on this machine: `make clients`, outside the default tests."""
