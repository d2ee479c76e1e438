import ServiceRuntime

extension ServiceError {
    /// Whether a call was refused before it did anything, so that typing mistakes and our own bad
    /// moments cost its sender nothing.
    var madeNothing: Bool {
        status == .invalidArgument || code == .resourceExhausted || notProcessed
    }
}
