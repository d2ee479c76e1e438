import ServiceRuntime

/// In which language each call of a connection is to be refused, if it comes to that. Only of
/// calls that say what their person reads, so that all others cost a look at an empty table; at most
/// one entry a running call.
struct CallLanguages {
    private var languages: [UInt64: ErrorLanguage] = [:]

    /// A call begins.
    mutating func note(_ call: UInt64, _ metadata: Metadata) {
        guard !metadata.entries.isEmpty else { return }
        let language = metadata.language
        if language != .english { languages[call] = language }
    }

    /// A call ends.
    @discardableResult
    mutating func take(_ call: UInt64) -> ErrorLanguage {
        guard !languages.isEmpty else { return .english }
        return languages.removeValue(forKey: call) ?? .english
    }
}
