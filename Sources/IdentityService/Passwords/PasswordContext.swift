import Addresses
import Cryptography

/// The words that an attacker who knows the account tries first: its address, its name and the
/// app's name (NIST SP 800-63B-4 §3.1.1.2: "the name of the service, the username, and
/// derivatives").
///
/// A password consists of these words if, without them, at most three characters remain, or the
/// rest is a common password. For Ada Lovelace that rejects `AdaLovelace1815!` and accepts `Ada
/// keeps bees`.
struct PasswordContext: Sendable {
    /// Shorter words are part of too many others.
    private static let wordMin = 3
    /// Characters that may remain.
    private static let restMax = 3
    /// The longest first. Otherwise removing a part of a longer word would leave the rest of it.
    private let words: [[UInt8]]

    /// - Parameters:
    ///   - address: The account's address; nil for none.
    ///   - displayName: The account's display name; may be empty.
    ///   - app: The app's name; may be empty.
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

    /// The context without any words.
    static let none = PasswordContext(address: nil, displayName: "", app: "")

    /// Whether a password, in Unicode Normalization Form C, consists of these words.
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
    /// Removes every occurrence of `word`. It works in place and zeroes the bytes behind the new
    /// end, because they are part of a password.
    fileprivate mutating func remove(_ word: [UInt8]) {
        guard count >= word.count else { return }
        var (end, place) = (0, 0)
        while place < count {
            let isWord = self[place...].starts(with: word)
            if !isWord {
                self[end] = self[place]
                end += 1
            }
            place += isWord ? word.count : 1
        }
        for behind in end..<count { self[behind] = 0 }
        removeLast(count - end)
    }
}
