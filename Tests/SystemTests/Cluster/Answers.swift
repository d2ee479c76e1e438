/// What sign-up and sign-in answer.
struct SignedIn: Decodable {
    let account: Account
    let session: Session
    let isNewUser: Bool?
}

/// What VerifyEmail answers.
struct Verified: Decodable {
    let account: Account
}

/// What Refresh answers.
struct Refreshed: Decodable {
    let session: Session
}

/// What SignOut answers.
struct SignedOut: Decodable {
    let ended: Int
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

/// What CheckAuthState answers; a default value is absent.
struct AuthState: Decodable {
    let authenticated: Bool?
    let reason: String?
    let todo: [String]?
}

/// An error of the catalogue.
struct Refusal: Decodable {
    let code: String
    let userMessage: String
    let retryable: Bool
    let action: String
}
