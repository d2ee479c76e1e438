import ServiceRuntime

/// The backoff of a message after a failed attempt when the provider does not name a delay.
enum DeliveryBackoff {
    /// The delay after the first failure.
    static let first: Duration = .seconds(2)
    /// The delay after the ninth and each later failure. A mail server's restart delays a message
    /// by no more than this.
    static let most: Duration = .seconds(300)

    /// The delay after `attempts` attempts (from 1), with jitter from `random`.
    static func wait(attempts: Int, random: UInt64) -> Duration {
        Backoff.wait(failures: attempts, first: first, most: most, random: random)
    }
}
