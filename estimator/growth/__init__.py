"""How a design grows: the room that it has, and its phases with what each buys, rewires and leaves unused."""
