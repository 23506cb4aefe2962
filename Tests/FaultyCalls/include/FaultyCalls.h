// FaultyCalls is loaded into a program, not called: it has nothing to declare.
