"""What is watched as a session grows: critical items, how rules are kept, contradictions, drift, relevance.

How a message becomes a verdict:

1. ``projection`` takes each message of the ledger, with what a person said in it; ``session_state`` is what it keeps.
2. ``critical.candidates`` reads it sentence by sentence (``critical/reading``), by wordings (``critical/wordings``) and
   by a learned model (``learned``): a candidate is a sentence that should last.
3. ``item_acts`` writes what is done, and ``critical.items`` folds it (candidates, pins, rules of the project's files by
   ``rule_files``) into items; those in force are the rules.
4. ``replies`` has every reply judged by the checks that ``adherence`` makes of each rule; ``adherence.rule_record``
   folds the verdicts into how the rule stands: kept, broken or unknown.
5. ``statements`` holds what was said against earlier statements (``contradiction``); ``adherence.drift`` makes one
   number of broken rules, contradictions and the distance from the topic.

The encoder, where it is installed, reads later and in the background; what it says is an entry of the ledger as well.
"""
