import ServiceRuntime
import Storage

extension Activity {
    /// The sentence for the account's owner; empty for a kind that owners are not shown.
    ///
    ///     line of Sources/Texts/activity   for
    ///     KIND/VARIANT                     this variant
    ///     KIND/{{method}}                  a way to sign in, whose name it has
    ///     KIND                             the others
    func sentence(in voice: Voice) -> String {
        guard AuditKind(rawValue: kind).map(ShownActivity.kinds.contains) ?? false else {
            return ""
        }
        let plain = voice.activitySentence(kind)
        guard let variant else { return plain }
        let own = voice.activitySentence("\(kind)/\(variant)")
        guard own.isEmpty else { return own }
        let named = voice.activitySentence("\(kind)/{{method}}")
        guard !named.isEmpty, variant != AuditDetail.unlisted else { return plain }
        return named.replacing("{{method}}", with: voice.language.method(variant))
    }

    /// What of a kind the sentence is about; nil if it is about the kind alone.
    private var variant: String? {
        switch AuditKind(rawValue: kind) {
        case .consentGiven, .consentWithdrawn:
            attempt > 0 && attempt <= 4 ? "\(attempt)" : nil
        case .deletionRequested: actor.isEmpty ? nil : "support"
        default: detail.isEmpty ? nil : detail
        }
    }
}
