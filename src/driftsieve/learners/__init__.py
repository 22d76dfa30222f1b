"""What predicts, where the papers need one of their own."""
