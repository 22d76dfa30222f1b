"""Hot loops: arrays in, arrays filled. They check nothing and never raise."""
