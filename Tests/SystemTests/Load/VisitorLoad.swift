/// Visitors who call concurrently at a steady rate, until they are stopped or, if so configured,
/// until one of their calls fails.
struct VisitorLoad: Sendable {
    let visitors: [Visitor]
    let backend: LoadBackend
    let records: CallRecords
    /// The time from the start of one call of a visitor to the next.
    let pause: Duration
    /// The deadline of each call.
    let timeout: Duration
    /// Whether a visitor stops after the first failure.
    let endsAtFailure: Bool

    /// Runs for `duration`.
    func run(for duration: Duration) async {
        let end = ContinuousClock().now + duration
        await run { ContinuousClock().now < end }
    }

    /// Runs while `goesOn` returns true.
    func run(while goesOn: @escaping @Sendable () -> Bool) async {
        await withTaskGroup(of: Void.self) { tasks in
            for visitor in visitors { tasks.addTask { await run(visitor, while: goesOn) } }
        }
    }

    private func run(_ visitor: Visitor, while goesOn: @Sendable () -> Bool) async {
        let clock = ContinuousClock()
        var next = clock.now
        while goesOn() {
            let isAnswered = await visitor.call(backend, records, timeout: timeout)
            if endsAtFailure, !isAnswered { return }
            next += pause
            // Ignored: on cancellation the loop ends.
            try? await clock.sleep(until: next)
        }
    }
}
