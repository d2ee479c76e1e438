/// What the deletion of an account does (G-19). The raw values are the kinds of
/// `PreviewDeletionResponse.consequences`.
package enum DeletionConsequence: String, CaseIterable, Sendable {
    /// Account, profile and sign-in methods are deleted.
    case account
    /// The documents are deleted; counted.
    case documents
    /// The photo is deleted.
    case photo
    /// All sessions end.
    case sessions
    /// What Apple or Google has granted is revoked. No other provider's grants are kept.
    case provider
    /// An export is prepared or ready, so the deletion waits; counted in days.
    case export
    /// It is requested by a mailed link alone, and the account has a second factor, so the deletion
    /// waits; counted in days.
    case secondFactor = "second-factor"
    /// The deletion can be requested to wait; counted in days.
    case wait
    /// There is no way back.
    case final

    /// Whether the deletion waits in any case, so that nobody has to ask for it.
    package var waitsAnyway: Bool { self == .export || self == .secondFactor }

    /// The sentence for the user in `voice`.
    /// - Parameter count: of what is counted; no effect on the others.
    package func sentence(count: UInt32, in voice: Voice) -> String {
        let one = count == 1 ? voice.sentence("deletion/\(rawValue)-one") : ""
        return (one.isEmpty ? voice.sentence("deletion/\(rawValue)") : one)
            .replacing("{{count}}", with: "\(count)")
    }
}
