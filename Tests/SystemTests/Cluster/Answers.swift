/// The response of SignUpWithPassword and of the sign-ins.
struct SignedIn: Decodable {
    let account: Account
    let session: Session
}

/// The response of VerifyEmail.
struct Verified: Decodable {
    let account: Account
}

/// The response of Refresh.
struct Refreshed: Decodable {
    let session: Session
}

/// The response of SignOut.
struct SignedOut: Decodable {
    let endedSessions: Int
}

/// An account.
struct Account: Decodable {
    let accountId: String
    let email: String
    let emailVerified: Bool?
}

/// A session.
struct Session: Decodable {
    let sessionId: String
    let accessToken: String
    let refreshToken: String
}

/// The response of CheckAuthState; a field with its default value is absent.
struct AuthState: Decodable {
    let authenticated: Bool?
    let reason: String?
    let requiredActions: [String]?
}

/// An error of the catalogue; a field with its default value is absent.
struct ErrorAnswer: Decodable {
    let code: String
    let userMessage: String
    let retryable: Bool?
    let action: String
    let secondProof: SecondProof?

    struct SecondProof: Decodable {
        let challenge: String
        let kinds: [String]
    }
}
