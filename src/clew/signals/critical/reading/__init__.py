"""What of a message is a person's own prose, sentence by sentence, with the words each needs."""
