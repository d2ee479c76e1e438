import Cryptography

/// Whether a token was made for the nonce that is handed in with it.
///
/// | handed in | in the token | |
/// |---|---|---|
/// | a nonce | the same, or its SHA-256 in lower-case hexadecimal | right |
/// | a nonce | another, or none | wrong: a token of another sign-in |
/// | none, where it may be left out | none | right |
/// | none, where it may be left out | one | wrong: the token was made for somebody's nonce |
///
/// Apple's native dialog is handed the hash and passes that on; its web dialog passes on what it is
/// handed. Which of the two an app has used cannot be told, and either shows that it had the nonce.
enum NonceMatch {
    static func check(
        _ inToken: String?, against handedIn: String
    ) throws(ProviderTokenRefusal) {
        guard let inToken else {
            guard handedIn.isEmpty else { throw .nonce }
            return
        }
        guard !handedIn.isEmpty,
            constantTimeEqual(inToken.utf8, handedIn.utf8)
                || constantTimeEqual(inToken.utf8, hash(handedIn).utf8)
        else { throw .nonce }
    }

    /// As Apple wants it.
    static func hash(_ nonce: String) -> String { Hex.encode(SHA256.hash(nonce.utf8)) }
}
