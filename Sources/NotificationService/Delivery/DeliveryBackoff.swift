import ServiceRuntime

/// How long a message waits after a failed try, where its provider does not say.
enum DeliveryBackoff {
    /// After the first failure.
    static let first: Duration = .seconds(2)
    /// After the ninth and all later ones: a mail server's restart costs no more than this.
    static let most: Duration = .seconds(300)

    /// The wait after `attempts` tries (from 1), placed by a random number.
    static func wait(attempts: Int, random: UInt64) -> Duration {
        DoublingWait.after(failures: attempts, first: first, most: most, random: random)
    }
}
