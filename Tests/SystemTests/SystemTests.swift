import Testing

/// Tests of the built programs from outside: started by `postern up`, called by `postern call` and
/// over TCP. They run one after the other, so that each has the whole machine.
@Suite("The system from outside", .serialized, .timeLimit(.minutes(10)))
enum SystemTests {}
