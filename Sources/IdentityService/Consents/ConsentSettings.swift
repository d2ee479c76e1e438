import ServiceRuntime

/// The operator's settings for consent to terms and privacy texts (G-23). The texts are the
/// operator's; only the names of their versions are known here.
package struct ConsentSettings: Sendable {
    /// Bytes of a version: a date, a number or a short name.
    static let versionBytesMax = 64
    /// Bytes of a URL, as far as all browsers take it.
    private static let urlBytesMax = 2_048

    /// Whether the current versions must be accepted.
    var mode = Mode.off
    /// The current versions; both empty if the operator has named none.
    var versions = ConsentVersions.none
    /// URL of the terms; may be empty.
    var termsURL = ""
    /// URL of the privacy text; may be empty.
    var privacyURL = ""
    /// The least age of users.
    var age = AgeSettings()

    /// The current versions; nil if the operator has named none.
    var current: ConsentVersions? { versions == .none ? nil : versions }
}

extension ConsentSettings {
    /// Declares every setting and reads its value.
    init(reading settings: inout SettingsReader) {
        self.init()
        settings.choice(
            "consent", &mode,
            reason: "Whether the current terms and privacy text must be accepted (G-23).")
        settings.string(
            "terms-version", &versions.terms, unit: "text",
            reason: "The current version of the terms; a new one asks everyone again (G-23).")
        settings.string(
            "privacy-version", &versions.privacy, unit: "text",
            reason: "The current version of the privacy text, as terms-version (G-23).")
        settings.string(
            "terms-url", &termsURL, unit: "URL", reason: "Where apps show the terms (G-23).")
        settings.string(
            "privacy-url", &privacyURL, unit: "URL",
            reason: "Where apps show the privacy text (G-23).")
        age = AgeSettings(reading: &settings)
        settings.require(
            versions.terms.isEmpty == versions.privacy.isEmpty,
            ["terms-version", "privacy-version"], "either both have a value or neither has")
        settings.require(
            mode == .off || versions != .none, ["consent", "terms-version", "privacy-version"],
            "asked and required need both versions")
        for (name, version) in [
            ("terms-version", versions.terms), ("privacy-version", versions.privacy),
        ] {
            settings.require(
                version.isEmpty || Self.isVersion(version), [name],
                "it must be one line of at most \(Self.versionBytesMax) bytes")
        }
        for (name, url) in [("terms-url", termsURL), ("privacy-url", privacyURL)] {
            settings.require(
                url.isEmpty || Self.isURL(url), [name],
                "it must be a URL that begins with https:// or http://")
        }
    }

    /// Whether a text can name a version: one line, not too long.
    package static func isVersion(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= versionBytesMax
            && text.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
    }

    private static func isURL(_ text: String) -> Bool {
        (text.hasPrefix("https://") || text.hasPrefix("http://"))
            && text.utf8.count <= urlBytesMax && text.utf8.allSatisfy { (33...126).contains($0) }
    }

    /// The version that a consent of a kind refers to.
    func version(of kind: ConsentKind) -> String {
        kind == .terms ? versions.terms : versions.privacy
    }
}

extension ConsentSettings {
    /// Whether the current versions must be accepted.
    package enum Mode: String, CaseIterable, Sendable {
        /// They need not be.
        case off
        /// Accounts without them have the required action "accept terms".
        case asked
        /// As asked; besides, a sign-up without them is refused.
        case required
    }
}

/// A version of the terms and one of the privacy text, which count only together.
package struct ConsentVersions: Hashable, Sendable {
    /// No versions.
    package static let none = ConsentVersions(terms: "", privacy: "")

    /// The version of the terms; empty for none.
    package var terms: String
    /// The version of the privacy text; empty for none.
    package var privacy: String

    /// Two versions.
    package init(terms: String, privacy: String) {
        self.terms = terms
        self.privacy = privacy
    }
}
