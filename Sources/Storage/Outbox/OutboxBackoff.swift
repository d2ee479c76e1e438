import ServiceRuntime

/// The backoff of an outbox message after a failed attempt.
enum OutboxBackoff {
    /// After the first failure.
    static let first: Duration = .milliseconds(100)
    /// After the eleventh and all later ones.
    static let most: Duration = .seconds(60)

    /// The wait after `failures` failed attempts (from 1), with jitter from a random number.
    static func wait(failures: Int64, random: UInt64) -> Duration {
        Backoff.wait(
            failures: Int(clamping: failures), first: first, most: most, random: random)
    }
}
