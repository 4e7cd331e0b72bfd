"""What a parallel group's traffic takes on a system's links, by the model of collectives."""
