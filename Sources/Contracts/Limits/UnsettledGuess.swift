/// A guess whose outcome the gateway did not report to the rate limiter: what the gateway, the rate
/// limiter and the identity service agree on. The rules are in
/// `RateLimitService/Limits/UnsettledGuesses.swift` and `IdentityService/Accounts/SettleGuesses.swift`.
package enum UnsettledGuess {
    /// How long after its charge a guess can be settled: the window of the limit on a known device.
    package static let life = Duration.seconds(900)
    /// How long its outcome is stored. Longer than `life`, so that neither a delayed request nor
    /// clocks that go at different speeds find a wrong guess forgotten.
    package static let retention = life * 2
    /// The largest number of guesses in one request: as many as a limit can count.
    package static let guessesMax = 64

    /// The ids of charges from their text form; nil if one of them, or their number, is invalid.
    package static func charges(_ texts: [String]) -> [Int64]? {
        guard (1...guessesMax).contains(texts.count) else { return nil }
        let charges = texts.compactMap(charge)
        return charges.count == texts.count ? charges : nil
    }

    /// The id of a charge from its text form; nil if it is none.
    package static func charge(_ text: String) -> Int64? {
        Int64(text, radix: 36)
    }

    /// The text form of a charge's id.
    package static func text(_ charge: Int64) -> String {
        String(charge, radix: 36)
    }
}
