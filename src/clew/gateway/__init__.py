"""The gateway: clients send their requests to it instead of to their provider, and long conversations go on as packs.

Whatever it does not have to change passes as it came, byte for byte, both ways.
"""
