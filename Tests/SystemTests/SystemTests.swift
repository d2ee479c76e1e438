import Testing

/// The built programs from outside: started by `postern up`, asked by `postern call` and TCP. One
/// after the other, for each has all the machine to itself.
@Suite("The system from outside", .serialized, .timeLimit(.minutes(10)))
enum SystemTests {}
