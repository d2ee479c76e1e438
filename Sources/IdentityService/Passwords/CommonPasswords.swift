import Cryptography

/// Detects the passwords that attackers try first, by rules. No list of leaked passwords has a
/// licence that permits including it, and rules cover more than a list of ten thousand entries. A
/// password is common if, in lower case and with substitutions undone (`p@ssw0rd`), it is
///
///     a keyboard or counting sequence            qwerty, 1qaz2wsx, abc123, 987654321
///     a repeated short or common part            xyxyxyxy, dragondragon
///     up to ten digits                           a date, a telephone number
///     a word of `CommonWords`, possibly after    password, trustno1, mydragon
///     my, the, new or your
///     one of these with a common addition at     Password1!, 2024Summer, Qwerty99, dragondragon1,
///     its ends                                   michael19850312
///
/// A common addition is: up to four digits and punctuation marks; or digits with up to two marks,
/// where the digits are at most four, a counting sequence or a date. This covers far more than ten
/// thousand passwords, including all common ones that we know of.
enum CommonPasswords {
    private static let digitsMax = 10
    private static let addedMax = 4
    private static let marksMax = 2
    private static let leadMax = 4
    private static let trailMax = 12
    private static let periodMax = 4
    /// The length of the longest word with all additions.
    private static let wordBytesMax = 48
    private static let openings: [[UInt8]] = ["my", "the", "new", "your"].map { Array($0.utf8) }

    /// Whether a password, in Unicode Normalization Form C, is common.
    static func has(_ scalars: some Collection<Unicode.Scalar>) -> Bool {
        FoldedPassword(scalars).wiped(has)
    }

    /// The same check for folded text.
    static func has(_ text: ArraySlice<UInt8>) -> Bool {
        guard !text.isEmpty else { return false }
        return isNumber(text) || hasWord(text) || isPattern(text) || isDressedPattern(text)
    }

    /// Whether the text is a pattern without a word.
    private static func isPattern(_ text: ArraySlice<UInt8>) -> Bool {
        KeyboardRuns.has(text) || isRepeated(text)
    }

    private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
        let digits = text.count { $0.isDigit }
        return digits <= digitsMax && digits > 0 && text.allSatisfy { !$0.isOfWord }
            && text.count - digits <= marksMax
    }

    private static func isRepeated(_ text: ArraySlice<UInt8>) -> Bool {
        for period in 1..<max(2, text.count / 2 + 1) where text.count % period == 0 {
            guard period < text.count,
                zip(text, text.dropFirst(period)).allSatisfy({ $0 == $1 })
            else { continue }
            return period <= periodMax || has(text.prefix(period))
        }
        return false
    }

    // MARK: with additions

    /// How many bytes at each end could be an addition.
    private static func ends(of text: ArraySlice<UInt8>) -> (lead: Int, trail: Int) {
        (
            text.prefix(leadMax).prefix { !$0.isOfWord }.count,
            text.suffix(trailMax).reversed().prefix { !$0.isOfWord }.count
        )
    }

    private static func isDressedPattern(_ text: ArraySlice<UInt8>) -> Bool {
        let (lead, trail) = ends(of: text)
        guard lead + trail > 0, text.count - lead - trail > addedMax else { return false }
        return isAdded(text.prefix(lead)) && isAdded(text.suffix(trail))
            && isPattern(text.dropFirst(lead).dropLast(trail))
    }

    private static func hasWord(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count <= wordBytesMax else { return false }
        if FoldedPassword.anySpelling(of: text, isWord) { return true }
        let (lead, trail) = ends(of: text)
        for before in 0...lead {
            for after in 0...trail where before + after < text.count {
                let word = text.dropFirst(before).dropLast(after)
                guard isAdded(text.prefix(before)), isAdded(text.suffix(after)) else { continue }
                if FoldedPassword.anySpelling(of: word, isWord) { return true }
            }
        }
        return false
    }

    private static func isWord(_ text: ArraySlice<UInt8>) -> Bool {
        CommonWords.has(text)
            || openings.contains {
                text.starts(with: $0) && CommonWords.has(text.dropFirst($0.count))
            }
    }

    /// Whether the text is a common addition to a word: digits and punctuation marks.
    private static func isAdded(_ text: ArraySlice<UInt8>) -> Bool {
        if text.count <= addedMax { return true }
        var digits = text.filter { $0.isDigit }
        defer { wipe(&digits) }
        guard text.count - digits.count <= marksMax else { return false }
        return digits.count <= addedMax || KeyboardRuns.has(digits[...]) || isDate(digits)
    }

    /// Whether the text is eight digits that contain a year 19xx or 20xx at the start or the end:
    /// 20240131, 31012024.
    private static func isDate(_ digits: [UInt8]) -> Bool {
        guard digits.count == 8 else { return false }
        return [digits[...], digits[4...]].contains {
            $0.starts(with: Array("19".utf8)) || $0.starts(with: Array("20".utf8))
        }
    }
}
