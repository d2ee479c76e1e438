import ServiceRuntime

/// The language in which errors of each call are written. There is an entry only for calls
/// whose metadata name a language other than English, so other calls cost a lookup in an empty
/// table. There is at most one entry for each running call.
struct CallLanguages {
    private var languages: [UInt64: ErrorLanguage] = [:]

    /// Records the language of a new call.
    mutating func note(_ call: UInt64, _ metadata: Metadata) {
        guard !metadata.entries.isEmpty else { return }
        let language = metadata.language
        if language != .english { languages[call] = language }
    }

    /// Removes and returns the language of a call that ends.
    @discardableResult
    mutating func take(_ call: UInt64) -> ErrorLanguage {
        guard !languages.isEmpty else { return .english }
        return languages.removeValue(forKey: call) ?? .english
    }
}
