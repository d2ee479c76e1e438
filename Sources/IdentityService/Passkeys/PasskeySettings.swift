package import ServiceRuntime

/// The operator's settings for passkeys (F-01). They are compared by identity alone: a web service
/// or a gateway that somebody has taken over adds no origin.
package struct PasskeySettings: Sendable {
    /// The domain to which passkeys belong; nil where they are switched off.
    private(set) var id: PasskeyRPID?
    /// The origins that the operator names; empty for those of `web-origins` at or below the
    /// domain.
    private(set) var origins: [PasskeyOrigin] = []
    /// Origins of other sites.
    private(set) var related: [PasskeyOrigin] = []

    /// Passkeys are switched off.
    package init() {}

    /// Passkeys of a domain, for tests and embedding.
    init(id: PasskeyRPID, origins: [PasskeyOrigin] = [], related: [PasskeyOrigin] = []) {
        self.id = id
        self.origins = origins
        self.related = related
    }

    /// Declares every setting and reads its value.
    package init(reading settings: inout SettingsReader) {
        let text = settings.optionalString(
            "passkey-rp-id", unit: "domain",
            reason: "The domain to which passkeys belong, for good: those of another one work no "
                + "more. Without it passkeys are switched off (F-01).")
        id = text.flatMap { PasskeyRPID($0) }
        settings.require(
            text == nil || id != nil, ["passkey-rp-id"], "it must be \(PasskeyRPID.expected)")
        var origins: [String] = []
        settings.strings(
            "passkey-origins", &origins, unit: "origin",
            reason: "Where passkeys can be used: origins of pages at or below passkey-rp-id, and "
                + "apps on Android. Without it: those of web-origins at or below it (F-01).")
        var related: [String] = []
        settings.strings(
            "passkey-related-origins", &related, unit: "origin",
            reason: "Origins of other sites at which passkeys can be used too; "
                + "/.well-known/webauthn lists them (F-01).")
        settings.require(
            related.count <= PasskeyRelyingParty.relatedMax, ["passkey-related-origins"],
            "\(PasskeyRelyingParty.relatedMax) at most: browsers read no more")
        settings.require(
            id != nil || text != nil || (origins.isEmpty && related.isEmpty),
            ["passkey-origins", "passkey-related-origins"], "they need passkey-rp-id")
        guard let id else { return }
        self.origins = origins.compactMap { PasskeyOrigin($0, of: id) }
        settings.require(
            self.origins.count == origins.count, ["passkey-origins"],
            "each must be \(PasskeyOrigin.expected)")
        self.related = related.compactMap { PasskeyOrigin(related: $0, to: id) }
        settings.require(
            self.related.count == related.count, ["passkey-related-origins"],
            "each must be \(PasskeyOrigin.expectedRelated)")
    }
}

extension IdentitySettings {
    /// To whom passkeys belong, and where they may be used; nil where they are switched off.
    var passkeyRelyingParty: PasskeyRelyingParty? {
        passkeys.id.map { id in
            PasskeyRelyingParty(
                id: id,
                origins: passkeys.origins.isEmpty
                    ? PasskeyRelyingParty.origins(of: webOrigins, for: id) : passkeys.origins,
                related: passkeys.related)
        }
    }

    /// Whether a passkey counts as an account's second factor: the operator requires one (F-03).
    var countsPasskeys: Bool { secondFactors.mode == .required && passkeys.id != nil }
}
