import ServiceRuntime

/// What `postern up` says when services wait for the operator's word on the clock: without it nobody
/// would learn, but from the logs, why sign-ins and refreshes are not answered.
enum ClockWaiting {
    /// - Parameters:
    ///   - services: those that wait, each with how far the machine's clock is ahead of it.
    ///   - option: what `postern clock accept` needs to find them.
    /// - Returns: nil where none waits.
    static func text(_ services: [(name: String, ahead: Duration)], option: String) -> String? {
        guard let farthest = services.map(\.ahead).max() else { return nil }
        let names = services.map { $0.name.trimmingPrefix("postern-") }.joined(separator: ", ")
        return """
            the clock waits for your word: the machine's is \(ClockState.distance(farthest)) ahead \
            of where \(names) stopped
              Until then sessions are neither opened, refreshed nor validated; nothing expires.
              If `date` is right (the machine was off for so long):  postern clock accept\(option)
              If it is wrong, set it: they go on by themselves.
            """
    }
}
