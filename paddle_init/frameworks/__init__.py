"""How frameworks draw a net spec, bit for bit: one interface, and a folder for each."""
