/// What `postern up` prints of its programs while it starts and supervises them.
extension Supervisor {
    /// When it has last looked, in seconds of the boot clock.
    struct Reports {
        /// At the logs.
        fileprivate var lookedAt = 0.0
        /// At programs that are not ready; nil before the first start.
        fileprivate var waitedAt: Double?

        /// Never yet.
        init() {}
    }

    /// Seconds between two looks at the logs.
    private static let lookInterval = 0.5
    /// Seconds after which a start is reported that is not ready, and between two reports.
    private static let waitInterval = 20.0

    /// Prints the new warnings of the programs, each with the program's name.
    /// - Parameter isDue: whether to look even if the last look was a moment ago.
    func reportWarnings(at now: Double, isDue: Bool = false) {
        guard isDue || now - reports.lookedAt >= Self.lookInterval else { return }
        reports.lookedAt = now
        for index in children.indices {
            let name = children[index].name.trimmingPrefix("postern-")
            for line in children[index].warnings.lines(at: now) {
                say("warning: \(name): \(line.printableLine)")
            }
        }
    }

    /// Prints which programs are not ready and what they wait for, every 20 s of a start.
    func reportWaiting(at now: Double) {
        guard let waitedAt = reports.waitedAt else {
            reports.waitedAt = now
            return
        }
        guard now - waitedAt >= Self.waitInterval else { return }
        reports.waitedAt = now
        for child in children where child.process != nil && !isReady(child) {
            let seconds = Int(now - child.startedAt)
            say("\(child.name) is not ready after \(seconds) s: \(child.log.waiting.printableLine)")
        }
    }
}
