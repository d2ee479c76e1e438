import Cryptography
import EmailAddresses

/// The words that a guesser who knows the account tries first: its address and name, and what the
/// app is called (NIST SP 800-63B-4 §3.1.1.2: "the name of the service, the username, and
/// derivatives").
///
/// A password is explained by them where without them nothing is left of it that is worth guessing:
/// three characters or fewer, or what is common by itself. `AdaLovelace1815!` is, of Ada Lovelace;
/// `Ada keeps bees` is not.
struct PasswordContext: Sendable {
    /// Shorter words stand in too many others.
    private static let wordMin = 3
    /// What may be left.
    private static let restMax = 3
    /// The longest first, or a part of a word would leave the rest of it.
    private let words: [[UInt8]]

    /// - Parameters:
    ///   - address: The account's; nil for none.
    ///   - displayName: The name it shows; may be empty.
    ///   - app: What people know the app by; may be empty.
    init(address: EmailAddress?, displayName: String, app: String) {
        var texts = [displayName, app]
        if let parts = address?.entered.split(separator: "@", maxSplits: 1) {
            texts.append(contentsOf: parts.map(String.init))
        }
        var words: Set<[UInt8]> = []
        for text in texts {
            let parts = FoldedPassword(text.unicodeScalars).bytes
                .split { !$0.isOfWord && !$0.isDigit }
            words.formUnion(parts.map(Array.init))
            words.insert(Array(parts.joined()))
        }
        self.words = words.filter { $0.count >= Self.wordMin }
            .sorted { ($1.count, $0.first ?? 0) < ($0.count, $1.first ?? 0) }
    }

    /// Of nobody.
    static let none = PasswordContext(address: nil, displayName: "", app: "")

    /// Whether a password, in Form C, is made of these words.
    func explains(_ scalars: some Collection<Unicode.Scalar>) -> Bool {
        guard !words.isEmpty else { return false }
        return FoldedPassword(scalars).wiped { text in
            FoldedPassword.anySpelling(of: text, explains)
        }
    }

    private func explains(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = Array(text)
        defer { wipe(&rest) }
        for word in words { rest.remove(word) }
        guard rest.count < text.count else { return false }
        return rest.count { $0.isOfWord || $0.isDigit } <= Self.restMax
            || CommonPasswords.has(rest[...])
    }
}

extension [UInt8] {
    /// Takes `word` out wherever it stands. In place, and what is behind the new end is zero: these are
    /// bytes of a password.
    fileprivate mutating func remove(_ word: [UInt8]) {
        guard count >= word.count else { return }
        var (kept, place) = (0, 0)
        while place < count {
            let isWord = self[place...].starts(with: word)
            if !isWord {
                self[kept] = self[place]
                kept += 1
            }
            place += isWord ? word.count : 1
        }
        for behind in kept..<count { self[behind] = 0 }
        removeLast(count - kept)
    }
}
