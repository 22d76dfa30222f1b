"""What is remembered of a stream: bounded, mergeable, fadeable."""
