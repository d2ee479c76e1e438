import Cryptography
package import Messages
import ServiceRuntime
import Storage

/// What a person has agreed to at a sign-up. It counts for the account that the call creates or
/// upgrades (G-23).
package struct Acceptance: Hashable, Sendable {
    /// Counts only if it equals the current versions. A stale one is not stored: the person has not
    /// seen what is in force.
    package let versions: ConsentVersions
    /// Whether the person has agreed to marketing.
    package let marketing: Bool
    /// Whether the person has agreed to analytics.
    package let analytics: Bool
    /// As given, "YYYY-MM-DD"; empty if it was not (`AgeRule`).
    let birthDate: SecretBytes

    /// Reads a request's field; without it nothing was agreed to.
    package init(_ acceptance: GatewayV1.Acceptance?) {
        versions = ConsentVersions(
            terms: acceptance?.termsVersion ?? "", privacy: acceptance?.privacyVersion ?? "")
        marketing = acceptance?.marketing ?? false
        analytics = acceptance?.analytics ?? false
        birthDate = acceptance?.birthDate ?? .empty
    }

    /// The birth date as text.
    var birthDateText: String { birthDate.withBytes { String(decoding: $0, as: UTF8.self) } }

    /// What it gives, under these settings.
    func kinds(_ settings: ConsentSettings) -> [ConsentKind] {
        (versions == settings.current ? [.terms, .privacy] : [])
            + (marketing ? [.marketing] : []) + (analytics ? [.analytics] : [])
    }
}

extension Transaction {
    /// Records what a sign-up has brought along.
    func give(
        _ acceptance: Acceptance, _ settings: ConsentSettings, to account: AccountID,
        from origin: CallOrigin
    ) throws {
        let kinds = acceptance.kinds(settings)
        guard !kinds.isEmpty else { return }
        let given = try consents(of: account)
        for kind in kinds {
            let version = settings.version(of: kind)
            guard !given.has(kind, version) else { continue }
            try give(kind, version: version, to: account, by: .signUp, in: origin.app)
            try audit(.consentGiven, kind, account, from: origin)
        }
    }
}
