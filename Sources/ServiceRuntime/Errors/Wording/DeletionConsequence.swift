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
    /// What Apple has granted is revoked. No other provider's grants are kept.
    case provider
    /// An export is prepared or ready, so the deletion waits; counted in days.
    case export
    /// The deletion can be requested to wait; counted in days.
    case wait
    /// There is no way back.
    case final

    /// The sentence for the user in `voice`.
    /// - Parameter count: of what is counted; no effect on the others.
    package func sentence(count: UInt32, in voice: Voice) -> String {
        let one = count == 1 ? voice.sentence("deletion/\(rawValue)-one") : ""
        return (one.isEmpty ? voice.sentence("deletion/\(rawValue)") : one)
            .replacing("{{count}}", with: "\(count)")
    }
}
