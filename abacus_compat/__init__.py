"""abacus's confs: read as yaml-cpp reads them, translated to net specs and back."""
