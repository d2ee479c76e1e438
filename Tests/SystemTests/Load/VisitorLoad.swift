/// Visitors who call all at once, at a steady pace, until they are told to stop or, where asked,
/// until a call of theirs fails.
struct VisitorLoad: Sendable {
    let visitors: [Visitor]
    let backend: Backend
    let records: CallRecords
    /// From the begin of one call of a visitor to the next.
    let pause: Duration
    /// The deadline of each call.
    let timeout: Duration
    /// Whether a visitor goes home after the first failure.
    let endsAtFailure: Bool

    /// Runs for `duration`.
    func run(for duration: Duration) async {
        let end = ContinuousClock().now + duration
        await run { ContinuousClock().now < end }
    }

    /// Runs as long as `goesOn` says so.
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
            // Cancelled: the loop's end sees to that.
            try? await clock.sleep(until: next)
        }
    }
}
