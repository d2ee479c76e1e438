import Texts

/// The languages of the sentences in errors. To add one: a case here, and its file in
/// `Sources/Texts/error`. `ErrorWordingTests` fails for each sentence that the file lacks.
package enum ErrorLanguage: String, CaseIterable, Sendable {
    case english = "en"
    /// German with "du".
    case german = "de"
    /// German with "Sie".
    case germanFormal = "de-formal"
    /// Spanish with "tú".
    case spanish = "es"
    /// Spanish with "usted".
    case spanishFormal = "es-formal"
    case french = "fr"
    case japanese = "ja"

    /// The language of a BCP 47 tag ("de-CH"), by its primary subtag. Nil for a language that is
    /// not in the table. `de-formal` is no registered tag: the gateway replaces the caller's `de`
    /// by it (`FormalLanguages`), also in its calls of other services.
    package init?(tag: some StringProtocol) {
        let tag = tag.lowercased()
        let language = Self(rawValue: tag) ?? Self(rawValue: Self.primarySubtag(of: tag))
        guard let language else { return nil }
        self = language
    }

    /// The tag without the voice: "de".
    package var tag: String { Self.primarySubtag(of: rawValue) }

    private static func primarySubtag(of tag: String) -> String {
        String(tag.prefix { $0 != "-" && $0 != "_" })
    }
}

extension ErrorLanguage {
    /// A sentence of `Sources/Texts/error`.
    /// - Parameter key: An error code, `password/length` and so on; see a file there.
    /// - Returns: the sentence; empty for an unknown key.
    package func sentence(_ key: String) -> String { Self.sentences[self]?[key] ?? "" }

    /// Read once, at the first use.
    private static let sentences = Dictionary(
        uniqueKeysWithValues: allCases.map {
            ($0, Texts.lines("error/errors", in: $0.rawValue))
        })
}

extension ErrorCode {
    /// The sentence for the user in `language`. It reveals nothing that only an account's owner may
    /// know.
    package func sentence(in language: ErrorLanguage) -> String { language.sentence(rawValue) }
}

extension ServiceError {
    /// The error with its sentences in `language`. A sentence that was set for this occurrence
    /// stays: the code that set it already chose the language.
    package func worded(in language: ErrorLanguage) -> ServiceError {
        guard language != .english else { return self }
        var error = self
        error.sentence = sentence ?? code.sentence(in: language)
        for (index, violation) in violations.enumerated() where violation.sentence == nil {
            error.violations[index].sentence =
                PasswordRule(rawValue: violation.rule)?.sentence(in: language)
        }
        return error
    }
}

/// The languages that a user reads, parsed from the `accept-language` header of HTTP (RFC 9110,
/// 12.5.4). A backend can forward the header of its app's request: `de-CH,de;q=0.9,en;q=0.8`.
package struct AcceptedLanguages: Hashable, Sendable {
    /// Far more than a browser sends. Further ranges are ignored, and so is a longer header.
    private static let rangesMax = 16
    private static let bytesMax = 512

    /// The preferred language among those of the catalogue. Nil where the catalogue has none of
    /// them.
    package let best: ErrorLanguage?

    /// Parses a header's value. Invalid ranges are skipped.
    package init(_ text: String) {
        var best: (language: ErrorLanguage, weight: Int)?
        let ranges = text.utf8.count <= Self.bytesMax ? text[...] : ""
        for range in ranges.split(separator: ",").prefix(Self.rangesMax) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let tag = parts.first, let weight = Self.weight(parts.dropFirst().first),
                let language = ErrorLanguage(tag: tag)
            else { continue }
            // Of two ranges with the same weight, the first wins.
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        self.best = best?.language
    }

    /// The weight in thousandths. Nil for an invalid one.
    private static func weight(_ text: String?) -> Int? {
        guard let text else { return 1_000 }
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "q" else { return nil }
        let digits = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(digits.count), digits[0] == "0" || digits[0] == "1" else {
            return nil
        }
        let fraction = digits.count == 2 ? digits[1] : ""
        guard fraction.utf8.count <= 3, fraction.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        let padded = fraction + String(repeating: "0", count: 3 - fraction.utf8.count)
        return min(1_000, (digits[0] == "1" ? 1_000 : 0) + (Int(padded) ?? 0))
    }
}
