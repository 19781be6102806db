"""What a verification says, in every language; one module for each part of it."""
