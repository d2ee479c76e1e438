/// A user with an address and a device.
struct Person: Sendable {
    static let password = "Correct7Horse"

    let email: String
    let device: String
    /// The client address (from RFC 2544's range for benchmarks), which limits count by.
    let address: String

    /// The `number`-th person; no two share a limit.
    init(_ number: Int) {
        email = "ada.\(number)@example.org"
        device = "device-\(number)"
        address = "198.18.\(number / 250 % 250).\(number % 250 + 1)"
    }

    /// The fields of a sign-up or sign-in request.
    func credentials(_ password: String = Person.password) -> [String: Any] {
        [
            "email": email, "password": password,
            "device": ["deviceId": device, "platform": "cli", "name": "\(device)'s name"],
        ]
    }
}

extension Cluster {
    /// Signs a person up.
    func signUp(_ person: Person, key: String? = nil) async throws -> Answer {
        try await auth(
            "SignUpWithPassword", person.credentials(), from: person.address, key: key)
    }

    /// Signs a person in.
    func signIn(_ person: Person, _ password: String = Person.password) async throws -> Answer {
        try await auth("SignInWithPassword", person.credentials(password), from: person.address)
    }

    /// The state of an access token.
    func state(_ session: Session) async throws -> AuthState {
        try await auth("CheckAuthState", [:], in: session).read()
    }

    /// Exchanges a refresh token.
    func refresh(_ session: Session) async throws -> Answer {
        try await auth("RefreshSession", ["refreshToken": session.refreshToken])
    }
}
