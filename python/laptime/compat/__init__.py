"""Stand-ins for what people time and count with: a program moves over by its imports.

Programs import them as `laptime.torchtimer`, `laptime.timing`, `laptime.thop`,
`laptime.flop_counter`, `laptime.flops_profiler` and `laptime.flops_profiler.deepspeed`: modules
that have the names of these here, and nothing of their own.
"""
