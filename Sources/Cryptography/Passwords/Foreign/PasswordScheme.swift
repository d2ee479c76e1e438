/// An algorithm and its cost, as stored hashes have them. The duration of a check is measured for
/// each scheme, so that all failed sign-ins can take as long as the slowest.
package struct PasswordScheme: Hashable, Sendable {
    /// The name, stored beside a hash: the beginning of the hash's text, `$2b$10`.
    package let name: String
    /// A hash of this scheme that matches no password.
    let sample: StoredPassword

    /// The estimated cost of a check in microseconds, for comparing schemes.
    package var microseconds: Int { sample.microseconds }

    /// The scheme with that name.
    /// - Throws: `PasswordHashError` for an invalid name.
    package init(name: String) throws(PasswordHashError) {
        self.name = name
        let salt = Base64.encodeUnpadded([UInt8](repeating: 1, count: PasswordHash.saltBytes))
        // Short enough for one run of PBKDF2 with any digest.
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
