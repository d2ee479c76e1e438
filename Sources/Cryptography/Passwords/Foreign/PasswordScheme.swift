/// An algorithm and its cost, as hashes that are stored have them: how long a check takes is
/// measured for each, so that failed sign-ins can all take as long as the slowest.
package struct PasswordScheme: Hashable, Sendable {
    /// A text to store beside a hash: the beginning of the hash's own, `$2b$10`.
    package let name: String
    /// A hash of this scheme, of nobody's password.
    let sample: StoredPassword

    /// What a check costs, as far as is known without measuring: to compare schemes by.
    package var microseconds: Int { sample.microseconds }

    /// The scheme of that name.
    /// - Throws: `PasswordHashError` for what is none.
    package init(name: String) throws(PasswordHashError) {
        self.name = name
        let salt = Base64.encodeUnpadded([UInt8](repeating: 1, count: PasswordHash.saltBytes))
        // One run of PBKDF2, whatever its digest.
        let hash = Base64.encodeUnpadded([UInt8](repeating: 2, count: 16))
        let firebaseHash = Base64.encodeUnpadded([UInt8](repeating: 2, count: 64))
        sample =
            if name.hasPrefix("$2") {
                try StoredPassword(text: name + "$" + String(repeating: ".", count: 53))
            } else if name.hasPrefix("$firebase-scrypt$") {
                try StoredPassword(text: "\(name)$k=1$\(salt)$\(firebaseHash)")
            } else {
                try StoredPassword(text: "\(name)$\(salt)$\(hash)")
            }
    }

    init(of hash: ForeignHash) throws(PasswordHashError) {
        try self.init(name: hash.schemeName)
    }

    init(of hash: PasswordHash) throws(PasswordHashError) {
        let parts = hash.text.split(separator: "$", omittingEmptySubsequences: false)
        try self.init(name: parts.prefix(4).joined(separator: "$"))
    }
}
