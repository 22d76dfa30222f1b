"""What a feature is worth: free functions from a summary to one number per feature."""
