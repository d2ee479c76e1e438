import ServiceRuntime

/// A token and a nonce as a caller sends them.
struct HandedIn: Sendable {
    var token: String
    var nonce: String
    var provider = "google"
}

/// One way to make a valid token invalid, and the expected error.
struct TokenMutation: Sendable {
    let name: String
    let code: ErrorCode
    /// A word of the error's detail.
    let word: String
    let make: @Sendable (TokenMutationFixture) throws -> HandedIn

    init(
        _ name: String, _ word: String, code: ErrorCode = .invalidProviderToken,
        _ make: @escaping @Sendable (TokenMutationFixture) throws -> HandedIn
    ) {
        self.name = name
        self.word = word
        self.code = code
        self.make = make
    }
}
