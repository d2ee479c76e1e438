import ServiceRuntime

/// How long access tokens live (S-01): the setting's time, ± 5 %, so that clients that signed in
/// together (after an outage, say) do not refresh together for ever after. Pure.
struct AccessTokenLife: Hashable, Sendable {
    /// The jitter is life / 20 to either side: 5 %.
    private static let jitterDivisor: Int64 = 20

    /// In the mean.
    let mean: Duration

    /// When a token of `givenAt` expires: a whole second, as claims count, not after the session's
    /// end.
    /// - Parameter draw: any number, from which the jitter comes.
    func expiry(givenAt: Timestamp, sessionEnd: Timestamp, draw: UInt64) -> Timestamp {
        let width = UInt64(clamping: 2 * jitter + 1)
        let offset = Int64(clamping: draw % width) - jitter
        let expiry = min(givenAt + mean + .milliseconds(offset), sessionEnd)
        return Timestamp(milliseconds: expiry.seconds * 1_000)
    }

    /// No token is accepted for longer after it was issued: mean and jitter, and the second that
    /// `iat` leaves off.
    var longest: Duration { mean + .milliseconds(jitter) + .seconds(1) }

    private var jitter: Int64 { mean.milliseconds / Self.jitterDivisor }
}
