import ServiceRuntime

/// What `postern up` prints if services wait for the operator to confirm the clock. Otherwise only
/// the logs would say why sign-ins and refreshes fail.
enum ClockWaiting {
    /// - Parameters:
    ///   - services: those that wait, each with how far the machine's clock is ahead of its own.
    ///   - option: the option that `postern clock accept` needs to find them.
    /// - Returns: nil if none waits.
    static func text(_ services: [(name: String, ahead: Duration)], option: String) -> String? {
        guard let farthest = services.map(\.ahead).max() else { return nil }
        let names = services.map { $0.name.trimmingPrefix("postern-") }.joined(separator: ", ")
        return """
            the clock waits for confirmation: the machine's is \(ClockState.distance(farthest)) \
            ahead of where \(names) stopped
              Until then sessions are not created, refreshed or validated; nothing expires.
              If `date` is right (the machine was off that long):  postern clock accept\(option)
              If it is wrong, set it: the services then continue without a restart.
            """
    }
}
