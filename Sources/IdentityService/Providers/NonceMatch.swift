import Cryptography

/// Checks that a token was made for the nonce that the caller sends with it.
///
/// | nonce of the call | nonce in the token | result |
/// |---|---|---|
/// | present | the same, or its SHA-256 in lower-case hexadecimal | accepted |
/// | present | another, or none | rejected: a token of another sign-in |
/// | absent, where optional | none | accepted |
/// | absent, where optional | present | rejected: the token was made for another nonce |
///
/// Apple's native dialog receives the hash from the app and puts it into the token; its web dialog
/// puts in whatever it receives. The service cannot distinguish which of the two an app used.
/// Either value proves that the app had the nonce.
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

    /// The form that Apple expects.
    static func hash(_ nonce: String) -> String { Hex.encode(SHA256.hash(nonce.utf8)) }
}
