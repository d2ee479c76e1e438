import ServiceRuntime

/// The lifetime of access tokens (S-01): the setting's time, ± 5 % jitter, so that clients that
/// signed in together (after an outage, for example) do not keep refreshing together. Pure.
struct AccessTokenLife: Hashable, Sendable {
    /// The jitter is life / 20 to either side: 5 %.
    private static let jitterDivisor: Int64 = 20

    /// The mean lifetime.
    let mean: Duration

    /// When a token issued at `givenAt` expires: a whole second, as claims have no fractions, and
    /// not after the session's end.
    /// - Parameter draw: a random number for the jitter.
    func expiry(givenAt: Timestamp, sessionEnd: Timestamp, draw: UInt64) -> Timestamp {
        let width = UInt64(clamping: 2 * jitter + 1)
        let offset = Int64(clamping: draw % width) - jitter
        let expiry = min(givenAt + mean + .milliseconds(offset), sessionEnd)
        return Timestamp(milliseconds: expiry.seconds * 1_000)
    }

    /// The longest time that any token is accepted after it was issued: mean and jitter, plus the
    /// second by which `iat` may be rounded.
    var longest: Duration { mean + .milliseconds(jitter) + .seconds(1) }

    private var jitter: Int64 { mean.milliseconds / Self.jitterDivisor }
}
