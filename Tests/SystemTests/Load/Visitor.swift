import Messages
import ServiceRuntime

/// A signed-in user of an app, who validates and refreshes tokens, one call at a time. Whatever was
/// acknowledged must stay valid, whatever happens in between.
actor Visitor {
    let person: Person
    private(set) var session: GatewayV1.Session
    private var turns = 0
    /// The idempotency key of the current refresh: it is retried until it gets a response (G-25).
    private var refreshKey: String?
    private var refreshes = 0

    init(_ person: Person, _ session: GatewayV1.Session) {
        self.person = person
        self.session = session
    }

    /// Signs people up.
    static func signUp(
        _ numbers: Range<Int>, _ backend: LoadBackend
    ) async throws -> [Visitor] {
        var visitors: [Visitor] = []
        for number in numbers {
            let person = Person(number)
            let session = try await backend.signUp(person, key: "sign-up of \(number)")
            visitors.append(Visitor(person, session))
        }
        return visitors
    }

    /// Makes one call: every fourth is a refresh, the others validate the access token.
    /// - Returns: whether the call succeeded.
    func call(
        _ backend: LoadBackend, _ records: CallRecords, timeout: Duration
    ) async -> Bool {
        turns += 1
        if turns % 4 == 0 || refreshKey != nil {
            return await refresh(backend, records, timeout: timeout)
        }
        let (token, person) = (session.accessToken, person)
        let isSignedIn = await records.record("check", timeout: timeout) {
            try await backend.isSignedIn(token, of: person, timeout: timeout)
        }
        return isSignedIn == true
    }

    /// Exchanges the refresh token, or retries a call whose response was lost.
    func refresh(
        _ backend: LoadBackend, _ records: CallRecords, timeout: Duration
    ) async -> Bool {
        let key = refreshKey ?? "refresh \(refreshes) of \(person.device)"
        refreshKey = key
        let (token, person) = (session.refreshToken, person)
        let answer = await records.record("refresh", timeout: timeout) {
            try await backend.refresh(token, of: person, key: key, timeout: timeout)
        }
        guard let answer else { return false }
        session = answer
        refreshKey = nil
        refreshes += 1
        return true
    }
}
